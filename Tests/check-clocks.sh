#!/usr/bin/env bash
# Checks that every test outside RealTimeTests receives the time as an input. Such a test must not sleep, wait by the
# wall clock, or make assertions about the host's clock. Also checks that the number of tests in RealTimeTests is
# limited.
#
# A file whose suites have the trait `.virtualTime` may wait and read the time, because waits and times are virtual in
# these suites. A file that contains only parts of these suites may also wait and read the time if a comment mentions
# `.virtualTime`.
#
# Tests/Support is not checked, because its boards behind ports have their own time (Boards/PortBoard.swift), and its
# timeouts end tests that would otherwise hang (Tools/Wait.swift, Tools/RunningTool.swift, Links/RawConnection.swift).
set -euo pipefail
cd "$(dirname "$0")"

# Code that sleeps or reads a clock of the host, which is forbidden even in suites with the trait `.virtualTime`.
host='(^|[^.[:alnum:]_])(usleep|nanosleep|clock_gettime|gettimeofday|asyncAfter|setitimer|alarm|sleep)\('
host+='|\b(Task|Thread)\.sleep\b|\bDate(\(\)|\.now\b|\(timeIntervalSinceNow)|\bDispatch(Wall)?Time\b'
host+='|\b(Continuous|Suspending)Clock\b|\.timeIntervalSinceNow\b|\bsystemUptime\b|\bSO_RCVTIMEO\b'
host+='|\bTimer(\.|\()|\bRunLoop\b|\.wait\(timeout'

# Code that uses virtual time in suites with the trait `.virtualTime`, and the host's time in other suites.
either='\bLink\.now\(\)|(^|[^.[:alnum:]_])wait *(\(|\{)|\bTestSupport\.wait\b|\bwait\(seconds'

found=0

# look PATTERN CURE FILE...: reports each match of PATTERN in the files, with the advice CURE.
look() {
    local pattern=$1 cure=$2 hits
    shift 2
    # Ignores comments, and declarations of functions whose names match the pattern.
    hits=$(grep -nHE "$pattern" /dev/null "$@" | grep -vE '^[^:]+:[0-9]+: *(//|([a-z]+ )*func )' || true)
    [ -n "$hits" ] || return 0
    found=1
    while IFS= read -r hit; do echo "Tests/$hit: $cure"; done <<<"$hits"
}

files=$(find . -path './*Tests/*' -name '*.swift' ! -path './RealTimeTests/*' | sed 's|^\./||' | sort)
real=$(grep -LE '\.virtual(Time|Tool)' $files || true)

look "$host" "give the time as an argument, or move the test to RealTimeTests" $files
look "$either" "give the suite .virtualTime, wait for the event, or move the test to RealTimeTests" $real

max=66
count=$(find RealTimeTests -name '*.swift' -exec cat {} + | grep -cE '^ *@Test\b' || true)
if [ "$count" -gt $max ]; then
    found=1
    echo "Tests/RealTimeTests: $count tests, but at most $max are allowed; use virtual time to test logic"
fi
exit $found
