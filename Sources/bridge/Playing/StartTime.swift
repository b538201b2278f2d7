// StartTime: the start time from --at.

import ArgumentParser
import BridgeLink
import SerialPorts

/// A start time, which is either relative to the current time or a calendar time.
enum StartTime: ExpressibleByArgument {
    case fromNow(Microseconds)
    /// A calendar time in microseconds since 1970.
    case calendar(Microseconds)

    /// True if this is a calendar time, so that other computers can also start at this time.
    var isCalendar: Bool { if case .calendar = self { true } else { false } }

    init?(argument: String) {
        if let seconds = CalendarTime(argument)?.seconds {
            self = .calendar(Microseconds((seconds * 1_000_000).rounded()))
            return
        }
        let isRelative = argument.hasPrefix("+")
        let digits = argument.dropFirst(isRelative ? 1 : 0)
        guard digits.allSatisfy({ $0.isNumber || $0 == "." }), let seconds = Double(digits),
            (0...Self.secondsMax).contains(seconds)
        else { return nil }
        let microseconds = Microseconds((seconds * 1_000_000).rounded())
        self = isRelative ? .fromNow(microseconds) : .calendar(microseconds)
    }

    private static let secondsMax = 1e10

    /// Returns the start time as a host time, on the clock of `Link.now()`.
    func hostTime() -> HostTime {
        let now = Link.now()
        switch self {
        case .fromNow(let time): return now + time
        case .calendar(let time): return now + time - hostClock.calendarTime()
        }
    }
}
