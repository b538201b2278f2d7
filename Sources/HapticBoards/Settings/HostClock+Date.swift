// The date on a clock.

import Foundation
import SerialPorts

extension HostClock {
    /// The current date.
    package var date: Date {
        Date(timeIntervalSince1970: TimeInterval(calendarTime()) / 1_000_000)
    }
}
