#!/usr/bin/env bash
# Checks that time is an input of every test outside RealTimeTests: no sleep, no wait by the wall clock,
# no expectation about the host's clock; and that RealTimeTests stays small.
#
# A file whose suites carry the trait `.virtualTime` may wait and ask for the time, which are virtual then.
# So may a file with parts of such suites only, if a comment says that it is for `.virtualTime`.
#
# Tests/Support is not looked at. Its boards at ports have a time of their own (Boards/PortBoard.swift), and
# its limits end tests that would hang (Tools/Wait.swift, Tools/RunningTool.swift, Links/RawConnection.swift).
set -euo pipefail
cd "$(dirname "$0")"

# What sleeps or reads a clock of the host, whatever a suite carries.
host='(^|[^.[:alnum:]_])(usleep|nanosleep|clock_gettime|gettimeofday|asyncAfter|setitimer|alarm|sleep)\('
host+='|\b(Task|Thread)\.sleep\b|\bDate(\(\)|\.now\b|\(timeIntervalSinceNow)|\bDispatch(Wall)?Time\b'
host+='|\b(Continuous|Suspending)Clock\b|\.timeIntervalSinceNow\b|\bsystemUptime\b|\bSO_RCVTIMEO\b'
host+='|\bTimer(\.|\()|\bRunLoop\b|\.wait\(timeout'

# What is virtual under the trait.
either='\bLink\.now\(\)|(^|[^.[:alnum:]_])wait *(\(|\{)|\bTestSupport\.wait\b|\bwait\(seconds'

found=0

# $1: what is looked for, $2: what to do, the rest: files.
look() {
    local pattern=$1 cure=$2 hits
    shift 2
    # Comments, and functions that are declared with such a name, are none.
    hits=$(grep -nHE "$pattern" /dev/null "$@" | grep -vE '^[^:]+:[0-9]+: *(//|([a-z]+ )*func )' || true)
    [ -n "$hits" ] || return 0
    found=1
    while IFS= read -r hit; do echo "Tests/$hit: $cure"; done <<<"$hits"
}

files=$(find . -path './*Tests/*' -name '*.swift' ! -path './RealTimeTests/*' | sed 's|^\./||' | sort)
real=$(grep -LE '\.virtual(Time|Tool)' $files || true)

look "$host" "give the time as an argument, or move the test to RealTimeTests" $files
look "$either" "give the suite .virtualTime, wait for the event, or move the test to RealTimeTests" $real

max=61
count=$(find RealTimeTests -name '*.swift' -exec cat {} + | grep -cE '^ *@Test\b' || true)
if [ "$count" -gt $max ]; then
    found=1
    echo "Tests/RealTimeTests: $count tests, and at most $max are allowed: judge logic in virtual time"
fi
exit $found
