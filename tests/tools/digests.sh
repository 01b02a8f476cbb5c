#!/bin/bash
# Do gcc and clang, unoptimised and optimised, count the same cycles?
#
# Builds tests/tools/digests.cpp and the golden and law tests in build-digests/<compiler>-<level>, runs the golden tests
# everywhere, and compares what the digests program prints.
set -eu
cd "$(dirname "$0")/../.."
folder=build-digests
mkdir -p "$folder"

for compiler in g++ clang++; do
  for level in O0 O3; do
    build=$folder/$compiler-$level
    echo "== $compiler -$level"
    cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
      -DCMAKE_CXX_FLAGS_DEBUG="-$level" -DCMAKE_UNITY_BUILD=ON -DGPUSIM_BUILD_PYTHON=OFF "$@" >/dev/null
    cmake --build "$build" --target digests digests_tests
    (cd "$build" && ctest -R '^golden\.' -j "$(nproc)" --output-on-failure --no-tests=ignore)
    "$build/tests/digests" | tee "$folder/$compiler-$level.txt"
  done
done

for other in "$folder"/*.txt; do
  diff "$folder/g++-O3.txt" "$other" || { echo "digests: $other differs" >&2; exit 1; }
done
echo "digests: the same from both compilers at -O0 and -O3"
