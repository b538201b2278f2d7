#!/usr/bin/env bash
# Checks that time is an input of every test outside RealTimeTests: no sleep, no wait by the wall clock,
# no expectation about the host's clock; and that RealTimeTests stays small.
set -euo pipefail
cd "$(dirname "$0")"

# A suite under this trait steps a clock of its own: what waits there, and asks for the time, is virtual.
virtual='\.virtualTime'

# What sleeps or reads a clock of the host, whatever a suite carries.
host='\b(usleep|nanosleep|clock_gettime|gettimeofday|asyncAfter|alarm|setitimer)\b'
host+='|\b(Task|Thread)\.sleep\b|\bsleep\(|\bDate\(\)|\bDate\.now\b|\bDispatchTime(\.|\b)|\bDispatchWallTime\b'
host+='|\b(Continuous|Suspending)Clock\b|\.timeIntervalSinceNow\b|\bProcessInfo[^;]*\.systemUptime\b'
host+='|\bTimer(\.|\()|\bRunLoop\b|\bSO_RCVTIMEO\b|\bsemaphore\.wait\(timeout'

# What is virtual under the trait.
either='\bLink\.now\(\)|\bmonotonicTime\(|(^|[^.[:alnum:]_])wait *(\(|\{)|\bTestSupport\.wait\b'

# Files that are exempt, each with its reason; paths from Tests.
exempt=(
    # None. Support for boards at ports, which have a time of their own, is not a test:
    # Support/Boards/PortBoard.swift, Support/Tools/Wait.swift, Support/Links/RawConnection.swift.
)

found=0

# $1: what is looked for, $2: what to do, the rest: files.
look() {
    local pattern=$1 cure=$2 hits
    shift 2
    [ $# -gt 0 ] || return 0
    # Comments, and declarations of functions with such a name, are none.
    hits=$(grep -nHE "$pattern" "$@" | grep -vE '^[^:]+:[0-9]+: *(//|(private |fileprivate |static )*func )' \
        | grep -vE "^[^:]+:[0-9]+:[^\"]*//[^\"]*($pattern)" || true)
    [ -n "$hits" ] || return 0
    found=1
    while IFS= read -r hit; do echo "Tests/$hit: $cure"; done <<<"$hits"
}

files=$(find . -path './*Tests/*' -name '*.swift' ! -path './RealTimeTests/*' | sed 's|^\./||' | sort)
for file in "${exempt[@]}"; do files=$(grep -vxF "$file" <<<"$files"); done
mapfile -t all <<<"$files"
mapfile -t real < <(grep -LE "$virtual" "${all[@]}" || true)

look "$host" "give the time as an argument, or move the test to RealTimeTests" "${all[@]}"
look "$either" "give the suite .virtualTime, wait for the event itself, or move the test to RealTimeTests" \
    "${real[@]}"

max=60
count=$(cat RealTimeTests/*.swift RealTimeTests/*/*.swift | grep -cE '^ *@Test\b')
if [ "$count" -gt $max ]; then
    found=1
    echo "Tests/RealTimeTests: $count tests, of which at most $max are allowed: judge logic in virtual time"
fi
exit $found
