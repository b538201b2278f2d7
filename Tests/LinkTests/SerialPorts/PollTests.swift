// Tests of the conversion of times for system calls.

import BridgeLink
import TestSupport
import Testing

@testable import SerialPorts

struct PollTests {
    @Test func aWaitOfAnyLengthIsATimeOutOfPoll() {
        let times: [(time: Microseconds, milliseconds: Int32)] = [
            (0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (.max, .max), (-5, 0),
        ]
        for (time, milliseconds) in times { #expect(time.pollTimeout == milliseconds) }
    }

    @Test(.virtualTime) func portsThatCannotBeWatchedAreLookedAtEachSecond() throws {
        let watch = PortWatch(in: PortSystem(root: "/nowhere"))
        let begin = hostClock.now()
        watch.wait(orFor: try EventSignal())
        #expect(hostClock.now() - begin == 1_000_000)
    }

    @Test func aDurationIsTheNearestNumberOfMicroseconds() {
        #expect(Microseconds(Duration.milliseconds(250)) == 250_000)
        #expect(Microseconds(Duration.microseconds(-3)) == -3)
        #expect(Microseconds(Duration.seconds(Int64.max)) == .max)
        #expect(Microseconds(Duration.seconds(Int64.min)) == .min)
    }
}
