#!/bin/sh
# Installs the Debian packages that a task needs and that are not there yet.
#
# Usage: setup.sh TASK...   with TASK one of: build bench lint digests analysis
set -eu

packages=""
for task in "$@"; do
  case "$task" in
    build)
      packages="$packages g++ cmake ninja-build ccache libboost-program-options-dev libfmt-dev nlohmann-json3-dev"
      packages="$packages libeigen3-dev doctest-dev pybind11-dev python3-dev python3-venv python3-pytest python3-numpy"
      ;;
    bench) packages="$packages libbenchmark-dev valgrind" ;;
    lint) packages="$packages git clang-format clang-tidy" ;;
    digests) packages="$packages clang" ;;
    analysis) packages="$packages python3-matplotlib" ;;
    *)
      echo "setup.sh: unknown task '$task'" >&2
      exit 2
      ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "This system has no apt. Install what these Debian packages hold, then use CMake itself" >&2
  echo "(cmake --workflow --preset release):$packages" >&2
  exit 1
fi

missing=""
for package in $packages; do
  if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
    missing="$missing $package"
  fi
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  as_root="sudo"
fi
echo "Installing:$missing"
install() {
  # shellcheck disable=SC2086  # words are meant to split
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
}
# The package lists may be absent or too old; refresh them only when installing fails.
install 2>/dev/null || { $as_root apt-get update -qq && install; }
