// Verdicts: which acknowledged commands were carried out and which were rejected (SPEC 4.4).
//
// An ACK covers rejected commands too, and a REJECT may be lost, or not be sent where a newer one is
// due before it. The running count of REJECTs in ACK and STATUS tells whether one is missing; STATUS
// repeats the last one.

/// Acknowledged commands whose verdict is not settled, and the count of REJECTs.
struct Verdicts: Sendable {
    private var unsettled: [SendWindow.Entry] = []
    /// REJECTs that arrived, modulo 256.
    private var seen: UInt8 = 0
    /// REJECTs that the device says it sent, modulo 256.
    private var counted: UInt8 = 0

    /// Whether a REJECT is missing, so that GET_STATUS must ask for it.
    var isRejectMissing: Bool { missingCount > 0 }

    private var missingCount: Int8 { Int8(bitPattern: counted &- seen) }

    mutating func append(_ entries: [SendWindow.Entry]) { unsettled += entries }

    /// Takes the count of an ACK. A count below ours means that a REJECT arrived twice.
    mutating func noteCount(_ count: UInt8) {
        counted = count
        if missingCount < 0 { seen = count }
    }

    /// A REJECT arrived that had not been told before.
    mutating func noteReject() {
        seen &+= 1
        if missingCount < 0 { counted = seen }
    }

    /// Takes the count of STATUS, which repeats the last REJECT. Returns how many were missing.
    mutating func settle(count: UInt8) -> Int {
        noteCount(count)
        defer { seen = counted }
        return Int(max(0, missingCount))
    }

    /// The acknowledged command that a REJECT is about, if it is one of these.
    mutating func take(_ type: MessageType, sequence: UInt8) -> SendWindow.Entry? {
        let index = unsettled.firstIndex {
            $0.frame.sequence == sequence && $0.frame.type == type
        }
        return index.map { unsettled.remove(at: $0) }
    }

    /// All commands whose verdict is settled by now: none while a REJECT is missing.
    mutating func takeSettled() -> [SendWindow.Entry] {
        if isRejectMissing { return [] }
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Forgets every command whose verdict is open, settled or not.
    mutating func takeAll() -> [SendWindow.Entry] {
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Waits for the missing REJECTs no longer where so much hangs on them that a device which counts
    /// them tells neither of them nor its state.
    mutating func giveUpIfFull() {
        guard isRejectMissing, unsettled.count > Self.unsettledMax else { return }
        seen = counted
        doubtAll()
    }

    /// Sequences repeat behind 256.
    private static let unsettledMax = 128

    /// REJECTs were never told: each unsettled command may be what one of them was about.
    mutating func doubtAll() {
        for index in unsettled.indices { unsettled[index].isDoubtful = true }
    }
}
