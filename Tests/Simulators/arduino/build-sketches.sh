#!/bin/sh
# Compiles sketches and a library for sketch-board. The only compiler options are the macros that specify the core.
# build-sketches.sh LIBRARY FOLDER CORE "-DMACRO..." SKETCH.ino... creates FOLDER/SKETCH-CORE.so for each sketch.
set -eu
core=$(cd "$(dirname "$0")" && pwd)/core
library=$1
folder=$2
name=$3
macros=$4
shift 4
objects=$folder/$name
rm -rf "$objects"
mkdir -p "$objects"

# compile FILE OBJECT: compiles a source file.
compile() {
    case $1 in
    *.c) compiler="cc -std=gnu11" ;;
    *) compiler="c++ -std=gnu++11 -fno-exceptions -fno-gnu-unique" ;;
    esac
    $compiler -c -Os -g -fPIC -Wall -Wextra -Werror -DARDUINO=10819 $macros -I"$core" \
        -I"$library/src" -o "$2" "$1"
}

number=0
for file in $(find "$library/src" -name '*.c' -o -name '*.cpp') "$core/core.cpp"; do
    number=$((number + 1))
    compile "$file" "$objects/$number.o"
done
for sketch in "$@"; do
    base=$(basename "$sketch" .ino)
    sed '1i#include <Arduino.h>' "$sketch" >"$objects/$base.cpp"
    compile "$objects/$base.cpp" "$objects/$base.sketch"
    # The sketch must use its own functions even if the program has functions of the same name.
    c++ -shared -Wl,-Bsymbolic -o "$folder/$base-$name.so" "$objects/$base.sketch" "$objects"/*.o
done
