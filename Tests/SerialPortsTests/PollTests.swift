// Times as the operating system takes them.

import BridgeLink
import Testing

@testable import SerialPorts

struct PollTests {
    @Test func aWaitOfAnyLengthIsATimeOutOfPoll() {
        let times: [(time: Microseconds, milliseconds: Int32)] = [
            (0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (.max, .max), (-5, 0),
        ]
        for (time, milliseconds) in times { #expect(time.pollTimeout == milliseconds) }
    }
}
