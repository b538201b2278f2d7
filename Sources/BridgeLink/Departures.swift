// Departures: what of the frames sent may still lie in the device's receive buffer (SPEC 4.4).
//
// A frame that is sent again does not take the place of its first copy there: both lie in the buffer
// until the device reads them. It reads in the order of sending, so that one sign that it has read a
// frame goes for all before it.

/// The sequenced frames that left, copies among them, until the device has surely read them.
struct Departures: Sendable {
    private struct Departure: Sendable {
        let number: Int
        let size: Int
        let time: Microseconds
    }

    /// Numbers the departures: this is the newest.
    private(set) var newest = 0
    /// Wire bytes that may be unread.
    private(set) var unreadBytes = 0
    private var unread: [Departure] = []

    /// After this time bytes are read: 5 ms in the operating system, 10 ms on the line, and as long
    /// again in the device's buffer.
    static let readingTime: Microseconds = .milliseconds(30)

    /// Takes `size` wire bytes that leave `now`. Returns their number.
    @discardableResult
    mutating func append(size: Int, at now: Microseconds) -> Int {
        newest += 1
        unread.append(Departure(number: newest, size: size, time: now))
        unreadBytes += size
        return newest
    }

    /// The device has read departure `number`, and all before it.
    mutating func noteRead(_ number: Int) {
        drop { $0.number <= number }
    }

    /// Takes those that left `readingTime` ago for read.
    mutating func expire(at now: Microseconds) {
        drop { $0.time + Self.readingTime <= now }
    }

    /// The time at which `expire` next takes something for read; nil if everything is.
    var expiry: Microseconds? { unread.first.map { $0.time + Self.readingTime } }

    private mutating func drop(while isRead: (Departure) -> Bool) {
        while let first = unread.first, isRead(first) {
            unreadBytes -= unread.removeFirst().size
        }
    }
}
