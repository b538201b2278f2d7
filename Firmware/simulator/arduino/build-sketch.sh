#!/bin/sh
# Compiles a sketch and a library for sketch-board, without options but those that name the core:
# build-sketch.sh LIBRARY SKETCH SKETCH.so -DMACRO...
set -eu
core=$(cd "$(dirname "$0")" && pwd)/core
library=$1
sketch=$2
output=$3
shift 3
objects=${output%.so}
rm -rf "$objects"
mkdir -p "$objects"
number=0
sed '1i#include <Arduino.h>' "$sketch" >"$objects/sketch.cpp"
for file in $(find "$library/src" -name '*.c' -o -name '*.cpp') "$objects/sketch.cpp" "$core/core.cpp"; do
    number=$((number + 1))
    case $file in
    *.c) compile="cc -std=gnu11" ;;
    *) compile="c++ -std=gnu++11 -fno-exceptions -fno-gnu-unique" ;;
    esac
    $compile -c -Os -g -fPIC -Wall -Wextra -Werror -DARDUINO=10819 "$@" -I"$core" -I"$library/src" \
        -o "$objects/$number.o" "$file"
done
# Its functions are its own, whatever the program calls its own ones.
c++ -shared -Wl,-Bsymbolic -o "$output" "$objects"/*.o
