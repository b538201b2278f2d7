#!/bin/sh
# Checks that the files of the firmware core respect its layers (Firmware/README.md): check-includes.sh [FOLDER].
#
# A file must not include a file of a higher layer. Includes must not form a cycle. The protocol is the only file
# outside the core that the core may include. Only files in driver/ may name the chip. FOLDER is the firmware folder.
set -eu
cd "${1:-$(dirname "$0")/../Firmware}"

# The layers, from the lowest to the highest. The longest entry that is a prefix of a file's path determines
# the layer of the file. The headers that describe an actuator are below the driver, which changes the state
# in them; the functions of an actuator are above the driver. The context, device.h, is above the headers of
# its members and below the code that uses the whole context.
floors='
protocol/ core/support/
core/bus/transfer.h core/link/frame core/link/answers.h core/actuator/configuration.h
core/actuator/actuator.h
core/driver/ core/sensor/
core/actuator/
core/player/
core/device.h
core/bus/
core/link/
core/bridge
'

# For each include in quotes, prints a line with the including file and the included file.
graph=$(find core -name '*.[ch]' | sort | xargs awk '
    /^ *# *include *"/ {
        split($0, quoted, "\"")
        count = split(FILENAME, steps, "/") - 1
        more = split(quoted[2], names, "/")
        for (i = 1; i <= more; i++) {
            if (names[i] == "..") { count-- } else { steps[++count] = names[i] }
        }
        path = steps[1]
        for (i = 2; i <= count; i++) { path = path "/" steps[i] }
        print FILENAME, path
    }')
failed=0

echo "$graph" | awk -v floors="$(echo "$floors" | tr '\n' ';')" '
    BEGIN {
        count = split(floors, lines, ";")
        for (floor = 1; floor <= count; floor++) {
            entries = split(lines[floor], names, " ")
            for (entry = 1; entry <= entries; entry++) { floor_of[names[entry]] = floor }
        }
    }
    function find(file,    name, best) {
        for (name in floor_of) {
            if (index(file, name) == 1 && length(name) > length(best)) { best = name }
        }
        if (best == "") { print file " belongs to no layer"; failed = 1; return 0 }
        return floor_of[best]
    }
    find($1) < find($2) { print $1 " includes " $2 ", which belongs to a higher layer"; failed = 1 }
    END { exit failed }' >&2 || failed=1

cycles=$(echo "$graph" | tsort 2>&1 >/dev/null) || true
[ -z "$cycles" ] || { echo "$cycles" | sed 's/^tsort: /cycle of includes: /' >&2; failed=1; }

# Each file NAME_registers.h defines the registers of the chip NAME.
for chip in $(ls core/driver | sed -n 's/_registers\.h$//p'); do
    named=$(grep -ril "$chip" core | grep -v '^core/driver/') || true
    [ -z "$named" ] || { echo "only core/driver/ may name the $chip: $named" >&2; failed=1; }
done
exit $failed
