#!/bin/sh
# Applies each mutant of mutants.txt in a copy of the tree and reports which test detects it:
# run.sh [NAME...]. The copy is built incrementally. The suite that mutants.txt names for a mutant runs first. If this
# suite does not detect the mutant, all tests of its module follow, and then the soak. A run ends at its first failure.
# If the file is in Firmware/boards, or `board` is named as the suite, an image is built for these tests and for
# soak-board. The script uses only the tests and seeds of `make test` (.ci/test.steps). run.sh --check only checks that
# each mutant can be applied. The variables SWIFT, SOAK_SEEDS, BOARD_SEEDS and MUTANTS_TREE are optional.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
list=$source/Tests/Mutants/mutants.txt
tree=${MUTANTS_TREE:-$source/.build-mutants}
swift=${SWIFT:-swift}
seeds=${SOAK_SEEDS:-300}
board_seeds=${BOARD_SEEDS:-8}
check=
[ "${1:-}" != --check ] || { check=yes && shift; }
wanted=$*

# Writes a copy of a file in which the mutant is applied. Arguments: name, file, output. Fails unless the text to
# replace occurs exactly once.
apply() {
    perl -0777 -e '
        my ($list, $name, $file, $result) = @ARGV;
        my ($block) = read_all($list) =~ /^mutant \Q$name\E [^\n]*\n((?:[-+][^\n]*\n)+)/m;
        my $from = join "\n", map { substr $_, 1 } grep { /^-/ } split /\n/, $block;
        my $to = join "\n", map { substr $_, 1 } grep { /^\+/ } split /\n/, $block;
        my $text = read_all($file);
        my $count = () = $text =~ /\Q$from\E/g;
        die "$name: occurs $count times in $file\n" unless $count == 1;
        $text =~ s/\Q$from\E/$to/;
        open my $out, ">", $result or die; print $out $text;
        sub read_all { local $/; open my $in, "<", $_[0] or die "$_[0]: $!"; <$in> }
    ' "$list" "$1" "$source/$2" "$3"
}

# Builds the copy. A mutant that does not compile is not counted.
build() {
    "$swift" build "$@" >log-build 2>&1 || { echo "the mutant does not compile (see $tree/log-build)" >&2; false; }
}

# Builds the images with the mutant: the images for one actuator and for several actuators, or the image for the RP2040.
build_images() {
    case $1 in
    Firmware/boards/rp2040/*)
        build_image rp2040 BUILD="$tree/.build/image-rp2040" || return 1
        export HAPTIC_BRIDGE_PICO_IMAGE="$tree/.build/image-rp2040/rp2040.uf2"
        export BRIDGE_BOARDS="$BRIDGE_BOARDS,simulatedPico"
        ;;
    *)
        for actuators in 1 4; do
            build_image atmega328p ACTUATORS=$actuators BUILD="$tree/.build/image-$actuators" || return 1
        done
        export HAPTIC_BRIDGE_IMAGE="$tree/.build/image-1/atmega328p.hex"
        export HAPTIC_BRIDGE_SEVERAL_IMAGE="$tree/.build/image-4/atmega328p.hex"
        ;;
    esac
}

# Builds an image. Arguments: the board, and variables.
build_image() {
    board=$1
    shift
    make -s -C "Firmware/boards/$board" "$@" >log-image 2>&1 ||
        { echo "the image cannot be built (see $tree/log-image)" >&2; return 1; }
}

# Prints the part of soak-board that detects the mutant, or nothing if no part detects it. The parts that do not depend
# on a seed run first.
noticed_by_board() {
    build -c release --product bridge-soak || return 0
    for ask in "--queries 1000" "--sweep 12000 --every 5" "--lock-step --seeds $board_seeds"; do
        # shellcheck disable=SC2086
        timeout 900 .build/release/bridge-soak $ask >log-board 2>&1 && continue
        echo "board $ask:$(sed -n 's/^violation [^:]*:\( [0-9]* us:\)*//p' log-board | head -n 1)"
        return
    done
}

# Prints the result of the soak if it detects the mutant, or nothing.
noticed_by_soak() {
    build -c release --product bridge-soak || return 0
    timeout 900 .build/release/bridge-soak --seeds "$seeds" >log-soak 2>&1 || {
        status=$?
        [ "$status" = 124 ] && echo "soak: does not end" && return
        failed=$(sed -n 's/^figure soak_violations \([0-9]*\).*/\1/p' log-soak)
        echo "soak: ${failed:-crash} of $seeds seeds;$(sed -n 's/^violation [^:]*://p' log-soak | head -n 1)"
    }
}

# Prints the test that detects the mutant, or nothing if no test detects it. The first failure ends the run: sed exits,
# and the tests end when they print the next line.
noticed_by_tests() {
    { timeout 600 "$swift" test --skip-build --disable-xctest --filter "$1" 2>&1 || echo "run failed $?"; } |
        sed -E '/^✘ Test .* recorded an issue|Fatal error|^run failed/q' >log-tests
    case $(tail -n 1 log-tests) in
    *"recorded an issue"*) sed -n '$s/^✘ Test \(.*\) recorded an issue.*/test: \1/p' log-tests ;;
    "run failed 124") echo "test: does not end" ;;
    "run failed"* | *"Fatal error"*) echo "test: crash" ;;
    esac
}

# Prints the sketch that detects the mutant, or nothing if no sketch detects it. The Arduino library is created and
# compiled again with the mutant.
noticed_by_sketches() {
    make -s test-arduino >log-sketches 2>&1 && return
    who=$(sed -n 's/^FAILED \(.*\)/\1/p' log-sketches | head -n 1)
    [ -n "$who" ] || { echo "the sketches cannot be built (see $tree/log-sketches)" >&2; return; }
    echo "sketch on $who"
}

# Succeeds if an image must be built. Arguments: the file, and the suite that mutants.txt names for the mutant.
is_of_board() {
    case $1 in
    Firmware/boards/arduino/*) false ;;
    Firmware/boards/*) true ;;
    *) [ "$2" = board ] ;;
    esac
}

# Prints the chosen mutants: name, file, suite.
chosen() {
    while read -r word name file first; do
        [ "$word" = mutant ] || continue
        case " $wanted " in "  " | *" $name "*) echo "$name $file $first" ;; esac
    done <"$list"
}

chosen | while read -r name file first; do apply "$name" "$file" /dev/null; done
[ -z "$check" ] || exit 0

mkdir -p "$tree"
(cd "$source" && git ls-files -z --cached --others --exclude-standard |
    xargs -0 sh -c 'for file; do [ ! -e "$file" ] || cmp -s "$file" "$0/$file" || echo "$file"; done' "$tree" |
    tar -T - -cf - | tar -xmf - -C "$tree")
cd "$tree"
# Builds the simulator, and the boot loaders that tests load into the simulator.
mkdir -p .build && ln -sfn "$source/.build/simulator" .build/simulator
# Code that is unused because of a mutant must cause only a warning.
sed -i.all 's/, \.treatAllWarnings(as: \.error)//' Package.swift
sed -i.all 's/ -Werror//' Firmware/boards/atmega328p/Makefile Firmware/boards/rp2040/Makefile
find Firmware Sources Tests -type f | while read -r file; do [ -e "$source/$file" ] || rm "$file"; done
killed=0 survived=0
chosen >log-chosen
export HAPTIC_BRIDGE_SIMULATOR="$source/.build/simulator/avr-board"
while read -r name file first; do
    apply "$name" "$file" "$file"
    who= of_board=
    unset HAPTIC_BRIDGE_IMAGE HAPTIC_BRIDGE_SEVERAL_IMAGE HAPTIC_BRIDGE_PICO_IMAGE
    export BRIDGE_BOARDS=inProcess,simulated
    export BRIDGE_SUITES="${first%%.*},bridge-soak"
    if is_of_board "$file" "$first"; then
        of_board=yes
        build_images "$file" || first=none
    fi
    case $first in
    soak | board | none) ;;
    sketches) who=$(noticed_by_sketches) ;;
    *)
        build --build-tests || first=
        for filter in $first ${first%%.*}; do [ -n "$who" ] || who=$(noticed_by_tests "$filter"); done
        ;;
    esac
    [ -n "$who" ] || [ -z "$of_board" ] || [ "$first" = none ] || who=$(noticed_by_board)
    case $file in Firmware/boards/*) ;; *) [ -n "$who" ] || who=$(noticed_by_soak) ;; esac
    cp "$source/$file" "$file"
    if [ -n "$who" ]; then killed=$((killed + 1)); else survived=$((survived + 1)); fi
    echo "$name: ${who:-SURVIVED}"
done <log-chosen
echo "figure mutants_killed $killed of $((killed + survived))"
[ "$survived" = 0 ]
