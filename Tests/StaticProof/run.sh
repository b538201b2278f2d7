#!/bin/sh
# Interprets main.c with Frama-C's Eva, once for each of its contexts. Fails if there is an alarm that
# alarms.txt does not explain, or if an explained alarm no longer occurs. The keyword `volatile` is removed,
# because the program has no interrupts. The reports are in .build/static-proof.
set -eu
cd "$(dirname "$0")/../.."
output=.build/static-proof
mkdir -p "$output"
rm -f "$output"/*.txt
sources="Tests/StaticProof/main.c Tests/ModelBoard/board.c Firmware/boards/common/port.c
    $(find Firmware/model Firmware/core -name '*.c' | sort)"
defines="-Dvolatile= -DBRIDGE_ACTUATOR_COUNT=1 -DBRIDGE_EVENT_MEMORY=384 '-D_Static_assert(...)='
    -D__builtin_memcpy=memcpy -D__builtin_memset=memset -DPROMISE_H '-DPROMISE(condition)=((void)0)'"
for context in BOOTED CONNECTED OPENED PLAYING CALIBRATING; do
    report=$output/$context.txt
    frama-c -c11 -machdep gcc_x86_32 \
        -cpp-extra-args="-I. -include string.h -DCONTEXT=$context $(echo $defines)" $sources \
        -eva -eva-msg-key=-initial-state,-final-states -eva-no-show-progress -eva-slevel 400 \
        -eva-auto-loop-unroll 2000 -eva-split-limit 256 > "$report" 2>&1 ||
        { tail -n 20 "$report" >&2; exit 1; }
    grep -q 'done for function main' "$report" || { echo "$report: the analysis was not completed" >&2; exit 1; }
    echo "$context: $(sed -n 's/^ *In these functions, \(.*)\).*/\1/p' "$report"), $(
        sed -n 's/^ *\([0-9]* alarms\{0,1\}\) generated.*/\1/p' "$report")"
done
# An alarm in the report is a line with the file name, followed by indented lines.
awk '
    function show() { if (alarm != "") { print alarm; alarm = "" } }
    /^\[eva:alarm\]/ { show(); split($2, place, ":"); alarm = place[1] " |"; next }
    /^ / && alarm != "" { $1 = $1; alarm = alarm " " $0; next }
    { show() }
    END { show() }' "$output"/*.txt | sort -u > "$output/found"
sed -n 's/^\(Firmware.*\) | .*/\1/p' Tests/StaticProof/alarms.txt | sort > "$output/explained"
if ! diff "$output/explained" "$output/found"; then
    echo "< explained in Tests/StaticProof/alarms.txt, but no longer reported; > not explained there" >&2
    exit 1
fi
