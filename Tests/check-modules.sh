#!/bin/sh
# Holds the modules apart: check-modules.sh. Those that do no I/O import no operating system and nothing
# that does; no target under Sources depends on one under Tests; no two test suites have the same name; the files
# of a module depend on each other in small circles only.
# SWIFT may be set.
set -eu
cd "$(dirname "$0")/.."
pure="JSONText HapticPatterns AHAP Checksum HapticCompiler HapticBridge/SoundMix BridgeLink DRV2605 OpenSoundControl"
pure="$pure EditorLinks PatternEditing EmbeddedFiles PatternFormats SoundImport"
allowed="$pure CBridgeProtocol CEmbeddedFiles CMath CDeflate"
status=0

complain() {
    echo "$1" >&2
    status=1
}

for module in $pure; do
    [ -d "Sources/$module" ] || complain "Sources/$module is not there"
    imports=$(grep -rhoE '^[^/"]*\bimport +(struct |func |class |enum |protocol |typealias |var |let )?[A-Za-z0-9_]+' \
        --include='*.swift' "Sources/$module" | sed 's/.*[ .]//' | sort -u)
    for import in $imports; do
        case " $allowed " in
        *" $import "*) ;;
        *) complain "Sources/$module imports $import, which may do I/O" ;;
        esac
    done
done

# What the package says of its targets is printed key by key, in the order of the alphabet.
${SWIFT:-swift} package describe --type json | awk '
    function value(line) { sub(/^[^:]*: "/, "", line); sub(/".*/, "", line); return line }
    /^    {/ { name = path = "" }
    /^      "name" : / { name = value($0) }
    /^      "path" : / { path = value($0); folder[name] = path }
    /^      "target_dependencies" : / { isList = 1; next }
    /^      [^ ]/ { isList = 0 }
    isList { sub(/^ *"/, ""); sub(/".*/, ""); used[++count] = $0; user[count] = name }
    END {
        if (count == 0) { print "the targets of the package cannot be read"; exit 1 }
        for (i = 1; i <= count; i++)
            if (folder[user[i]] !~ /^Tests\// && folder[used[i]] ~ /^Tests\//) {
                print user[i] " depends on " used[i] ", which is part of the tests"
                failed = 1
            }
        exit failed
    }' >&2 || status=1
# A suite is selected by its name.
suites=$(grep -rhoE '(struct|class) [A-Za-z]+Tests\b' --include='*.swift' Tests | sort | uniq -d)
[ -z "$suites" ] || complain "several suites have the same name: $suites"
python3 -B Tests/Style/circles.py || status=1
exit $status
