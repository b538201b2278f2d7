// A limit for the processor time of a test. Other programs on the computer do not affect this time.

import Foundation
import Testing

/// Runs `body`, and fails the test if `body` needs more than 30 s of this thread's processor time.
///
/// The tests that use this function need about one second. An algorithm with quadratic or
/// exponential run time would need minutes.
package func expectLittleProcessorTime(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) rethrows {
    let begun = threadTime()
    try body()
    #expect(threadTime() - begun < 30, sourceLocation: sourceLocation)
}

/// Returns the processor time of this thread, in seconds.
package func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
