#!/bin/bash
# clang-format over the files that changed since main, every source of them compiled alone, clang-tidy; then the include
# table and the file sizes.
#
# Usage: lint.sh BUILD_DIR ALONE_DIR   (both configured: the first a unity build, the second not)
#        LINT_ALL=1 looks at every file, LINT_BASE=<commit> at what changed since then.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
alone=$2
failed=0

in_git() { git rev-parse --is-inside-work-tree >/dev/null 2>&1; }

# The commit to compare with: where this branch left main, or on main itself the commit before.
base_commit() {
  local base
  base=${LINT_BASE:-$(git merge-base HEAD origin/main 2>/dev/null)}
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1)
  fi
  echo "$base"
}

list_files() {
  local base=""
  in_git && [ "${LINT_ALL:-0}" != 1 ] && base=$(base_commit)
  if [ -n "$base" ]; then
    git diff --name-only --diff-filter=d "$base"
    git ls-files --others --exclude-standard
  else
    find libsim app examples python tests -type f
  fi | grep -E '\.(h|cpp)$' | sort -u
}

# What clang-tidy is to read: the unity files that hold the sources, so that headers are parsed once for many, and the
# sources that are in none; each after the settings of its sources, which it does not lie beside.
list_units() {
  local source settings
  for source in "${sources[@]}"; do
    settings=.clang-tidy
    [[ $source == tests/* ]] && settings=tests/.clang-tidy
    { grep -rlF --include='*.cxx' "\"$PWD/$source\"" "$build"/*/CMakeFiles/*/Unity || echo "$source"; } |
      sed "s|^|--config-file=$settings\t|"
  done | sort -u
}

mapfile -t files < <(list_files)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep '\.cpp$')
echo "lint: ${#files[@]} C++ files"

if [ ${#files[@]} -gt 0 ]; then
  clang-format --dry-run -Werror "${files[@]}" || failed=1
fi
if [ ${#sources[@]} -gt 0 ]; then
  python3 tests/tools/compile_alone.py "$alone" "${sources[@]}" || failed=1
  # A unity file includes sources, which elsewhere would be suspicious.
  list_units | tr '\t\n' '\0' | xargs -0 -n 2 -P "$(nproc)" clang-tidy -p "$build" \
    --checks=-bugprone-suspicious-include --quiet 2>/dev/null || failed=1
fi
python3 tests/tools/check_includes.py || failed=1
python3 tests/tools/check_files.py || failed=1
exit $failed
