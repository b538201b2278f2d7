#!/bin/sh
# Builds sketches with the library for an Uno, as the Arduino IDE does. The compiler options come from platform.txt of
# Debian's core for AVR (version 1.8). In addition, warnings in the project's own files are errors.
#
# build-uno.sh LIBRARY FOLDER SKETCH.ino... creates FOLDER/SKETCH.hex for each sketch.
set -eu
library=$(cd "$1" && pwd)
folder=$2
shift 2
objects=$folder/uno
avr=/usr/share/arduino/hardware/arduino/avr
core=$avr/cores/arduino
wire=$avr/libraries/Wire/src
common="-c -g -Os -ffunction-sections -fdata-sections -flto -mmcu=atmega328p -DF_CPU=16000000L
    -DARDUINO=10819 -DARDUINO_AVR_UNO -DARDUINO_ARCH_AVR -I$core -I$avr/variants/standard -I$wire
    -I$avr/libraries/EEPROM/src -I$library/src"
rm -rf "$objects"
mkdir -p "$objects/core"

# compile FILE OBJECT WARNINGS: compiles a source file with options for warnings.
compile() {
    case $1 in
    *.c) avr-gcc $common $3 -std=gnu11 -fno-fat-lto-objects -o "$2" "$1" ;;
    *.S) avr-gcc $common $3 -x assembler-with-cpp -o "$2" "$1" ;;
    *) avr-g++ $common $3 -std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics \
        -o "$2" "$1" ;;
    esac
}

# The class String is not compiled: it requires an avr-gcc that is newer than Debian's, and the library does not use the
# class.
for file in "$core"/*.c "$core"/*.cpp "$core"/*.S "$wire"/*.cpp "$wire"/utility/*.c; do
    [ "${file##*/}" = WString.cpp ] || compile "$file" "$objects/core/${file##*/}.o" -w
done
avr-gcc-ar rcs "$objects/core.a" "$objects"/core/*.o
for file in $(find "$library/src" -name '*.c' -o -name '*.cpp'); do
    compile "$file" "$objects/$(echo "${file#"$library"/}" | tr / _).o" "-Wall -Wextra -Werror"
done
for sketch in "$@"; do
    name=$(basename "$sketch" .ino)
    sed '1i#include <Arduino.h>' "$sketch" >"$objects/$name.cpp"
    compile "$objects/$name.cpp" "$objects/$name.sketch" "-Wall -Wextra -Werror"
    avr-gcc -Os -g -flto -fuse-linker-plugin -Wl,--gc-sections -mmcu=atmega328p \
        -o "$objects/$name.elf" "$objects/$name.sketch" "$objects"/*.o "$objects/core.a" -lm
    avr-objcopy -O ihex -R .eeprom "$objects/$name.elf" "$folder/$name.hex"
    avr-size -A "$objects/$name.elf" | awk -v name="$name" '/^\.(text|data) / { flash += $2 }
        /^\.(data|bss|noinit) / { ram += $2 }
        END { print "arduino_flash_bytes", name, flash; print "arduino_ram_static_bytes", name, ram }'
done
