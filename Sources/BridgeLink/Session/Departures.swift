// Departures: the sent frames that may still be unread in the device's receive buffer (SPEC 4.4).
//
// A frame that is sent again does not replace its first copy in that buffer: the buffer contains
// both copies until the device has read both. The device reads frames in the order in which they
// were sent. Therefore, a device that has read a frame has also read all earlier frames.

/// The sequenced frames that have been sent, including copies, and that the device may not have
/// read yet.
struct Departures: Sendable {
    private struct Departure: Sendable {
        let number: Int
        let size: Int
        let time: HostTime
    }

    /// The number of the newest departure.
    private(set) var newest = 0
    /// The number of wire bytes that the device may not have read yet.
    private(set) var unreadBytes = 0
    private var unread: [Departure] = []

    /// The time after which bytes are considered read: 5 ms for the operating system, 10 ms for the
    /// line, and another 15 ms for the device's buffer.
    static let readingTime: Microseconds = .milliseconds(30)

    /// Adds a departure of `size` wire bytes at `now` and returns its number.
    @discardableResult
    mutating func append(size: Int, at now: HostTime) -> Int {
        newest += 1
        unread.append(Departure(number: newest, size: size, time: now))
        unreadBytes += size
        return newest
    }

    /// Records that the device has read departure `number` and all departures before it.
    mutating func recordRead(_ number: Int) {
        drop { $0.number <= number }
    }

    /// Marks all departures that were sent at least `readingTime` ago as read.
    mutating func expire(at now: HostTime) {
        drop { $0.time + Self.readingTime <= now }
    }

    /// The time at which `expire` will mark the next departure as read; nil if all departures have
    /// been read.
    var expiry: HostTime? { unread.first.map { $0.time + Self.readingTime } }

    private mutating func drop(while isRead: (Departure) -> Bool) {
        while let first = unread.first, isRead(first) {
            unreadBytes -= unread.removeFirst().size
        }
    }
}
