#!/bin/sh
# Checks the dependencies between modules: check-modules.sh. Modules without I/O must not import the operating
# system or modules that import it. Folders without I/O must not need the other files of their module. Targets under
# Sources must not depend on targets under Tests. The names of test suites must be unique. The files of a module may
# depend on each other only in small cycles. No source file may have more than 400 lines.
# The variable SWIFT optionally specifies the swift command.
set -eu
cd "$(dirname "$0")/.."
pure="JSONText HapticPatterns AHAP Checksum HapticCompiler HapticBridge/SoundMix BridgeLink DRV2605"
pure="$pure AcceptanceReports Prediction/Motion ProgramProtocols Studio/Editing EmbeddedFiles PatternFormats SoundImport"
allowed="$pure CBridgeProtocol CEmbeddedFiles CMath CDeflate"
status=0

complain() {
    echo "$1" >&2
    status=1
}

for module in $pure; do
    [ -d "Sources/$module" ] || complain "Sources/$module does not exist"
    imports=$(grep -rhoE '^[^/"]*\bimport +(struct |func |class |enum |protocol |typealias |var |let )?[A-Za-z0-9_]+' \
        --include='*.swift' "Sources/$module" | sed 's/.*[ .]//' | sort -u)
    for import in $imports; do
        case " $allowed " in
        *" $import "*) ;;
        *) complain "Sources/$module imports $import, which may do I/O" ;;
        esac
    done
done

# In the description of the package, the keys of each target are on separate lines, in alphabetical order.
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
# `make play` omits the folders of the servers, and the modules that only the servers import (Package.swift).
servers='^Sources/bridge/(Studio|Audition|Serving/(Buttplug|WebSocket)|WithoutServers)/'
files=$(grep -rlE '^(@testable )?import (LocalServers|Studio|NIO)' Sources/bridge | grep -vE "$servers" || true)
[ -z "$files" ] || complain "make play cannot import the modules of the servers: $files"
# The names of suites must be unique, because tests are selected by the name of their suite.
suites=$(grep -rhoE '(struct|class) [A-Za-z]+Tests\b' --include='*.swift' Tests | sort | uniq -d)
[ -z "$suites" ] || complain "several suites have the same name: $suites"
# shellcheck disable=SC2086
python3 -B Tests/Style/circles.py $pure || status=1
git ls-files Sources Firmware Tests Web | grep -E '\.(swift|[ch]|cpp|py|sh|m?js|ts|css|html)$' | xargs wc -l | awk '
    $2 != "total" && $1 > 400 {
        print $2 " has " $1 " lines, but at most 400 are allowed: split it by its subjects"
        failed = 1
    }
    END { exit failed }' >&2 || status=1
exit $status
