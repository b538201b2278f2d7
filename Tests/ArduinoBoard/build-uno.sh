#!/bin/sh
# Builds a sketch with the library for an Uno, as the IDE does: with Debian's core for AVR, and the
# options of its platform.txt (version 1.8). Only warnings are errors here, in our own files.
#
# build-uno.sh LIBRARY SKETCH IMAGE.hex
set -eu
library=$(cd "$1" && pwd)
sketch=$2
image=$3
objects=${image%.hex}
avr=/usr/share/arduino/hardware/arduino/avr
core=$avr/cores/arduino
wire=$avr/libraries/Wire/src
common="-c -g -Os -ffunction-sections -fdata-sections -flto -mmcu=atmega328p -DF_CPU=16000000L
    -DARDUINO=10819 -DARDUINO_AVR_UNO -DARDUINO_ARCH_AVR -I$core -I$avr/variants/standard -I$wire
    -I$avr/libraries/EEPROM/src -I$library/src"
rm -rf "$objects"
mkdir -p "$objects/core"

# compile FOLDER WARNINGS FILE
compile() {
    object=$1/x$(echo "${3#"$library"/}" | tr / _).o
    case $3 in
    *.c) avr-gcc $common $2 -std=gnu11 -fno-fat-lto-objects -o "$object" "$3" ;;
    *.S) avr-gcc $common $2 -x assembler-with-cpp -o "$object" "$3" ;;
    *) avr-g++ $common $2 -std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics \
        -o "$object" "$3" ;;
    esac
}

# The String class needs a later avr-gcc than Debian's; the library does not use it.
for file in "$core"/*.c "$core"/*.cpp "$core"/*.S "$wire"/*.cpp "$wire"/utility/*.c; do
    [ "${file##*/}" = WString.cpp ] || compile "$objects/core" -w "$file"
done
avr-gcc-ar rcs "$objects/core.a" "$objects"/core/*.o
for file in $(find "$library/src" -name '*.c' -o -name '*.cpp'); do
    compile "$objects" "-Wall -Wextra -Werror" "$file"
done
sed '1i#include <Arduino.h>' "$sketch" >"$objects/sketch.cpp"
compile "$objects" "-Wall -Wextra -Werror" "$objects/sketch.cpp"
avr-gcc -Os -g -flto -fuse-linker-plugin -Wl,--gc-sections -mmcu=atmega328p \
    -o "$objects/sketch.elf" "$objects"/*.o "$objects/core.a" -lm
avr-objcopy -O ihex -R .eeprom "$objects/sketch.elf" "$image"
avr-size -A "$objects/sketch.elf" | awk '/^\.(text|data) / { flash += $2 }
    /^\.(data|bss|noinit) / { ram += $2 }
    END { print "arduino_flash_bytes", flash; print "arduino_ram_static_bytes", ram }'
