// ModelRing: a device's receive buffer, from which bytes are sometimes read slowly.

import TestSupport

/// A receive buffer that loses the bytes that it receives while it is full, like the buffer of a
/// microcontroller.
struct ModelRing {
    private(set) var lostBytes = 0
    /// The maximum number of bytes in the buffer at any time.
    private(set) var mostBytes = 0
    private let capacity: Int
    /// The maximum time that a byte waits, in milliseconds.
    private let patience: Int
    /// The unread bytes of the last milliseconds, oldest first.
    private var portions: [[UInt8]] = []
    /// The number of bytes read per millisecond, and the number of milliseconds left at this rate.
    private var pace = (bytes: 0, left: 0)
    private var random: SeededGenerator

    init(capacity: Int, patience: Int, seed: UInt64) {
        self.capacity = capacity
        self.patience = patience
        random = SeededGenerator(seed: seed)
    }

    /// Stores the bytes that are received in a millisecond. Returns the bytes that the device reads
    /// in this millisecond: all bytes, a few bytes, or temporarily no bytes.
    mutating func pass(_ arriving: [UInt8]) -> [UInt8] {
        let count = portions.reduce(0) { $0 + $1.count }
        let kept = Array(arriving.prefix(capacity - count))
        lostBytes += arriving.count - kept.count
        mostBytes = max(mostBytes, count + kept.count)
        portions.append(kept)
        let overdue = portions.dropLast(min(patience, portions.count)).reduce(0) { $0 + $1.count }
        return read(max(overdue, nextPace()))
    }

    private mutating func nextPace() -> Int {
        pace.left -= 1
        if pace.left < 0 {
            let count = [0, .random(in: 5...25, using: &random), 1_000].randomElement(
                using: &random)!
            pace = (count, .random(in: 1...2 * patience, using: &random))
        }
        return pace.bytes
    }

    private mutating func read(_ count: Int) -> [UInt8] {
        var read: [UInt8] = []
        while let first = portions.first, read.count < count {
            let part = first.prefix(count - read.count)
            read += part
            portions[0].removeFirst(part.count)
            if portions[0].isEmpty { portions.removeFirst() }
        }
        return read
    }
}
