// PendingResults: acknowledged commands, until it is known whether they were rejected (SPEC 4.4).
//
// An ACK covers rejected commands too, and a REJECT may be lost, or not be sent where a newer one is
// due before it. The running count of REJECTs in ACK and STATUS tells whether one is missing; STATUS
// repeats the last one.

/// Acknowledged commands whose outcome is not settled, and the count of REJECTs.
struct PendingResults: Sendable {
    private var unsettled: [SendWindow.Entry] = []
    /// The number of REJECTs that arrived, modulo 256.
    private var seen: UInt8 = 0
    /// The number of REJECTs in the session that the device reports, modulo 256.
    private var counted: UInt8 = 0

    /// True if a REJECT is missing, so that GET_STATUS must ask for it.
    var isRejectMissing: Bool { missingCount > 0 }

    private var missingCount: Int8 { Int8(bitPattern: counted &- seen) }

    mutating func append(_ entries: [SendWindow.Entry]) { unsettled += entries }

    /// Adopts the count of an ACK. A count below the present one means that a REJECT arrived twice.
    mutating func noteCount(_ count: UInt8) {
        counted = count
        if missingCount < 0 { seen = count }
    }

    /// Notes that a REJECT arrived that had not been reported before.
    mutating func noteReject() {
        seen &+= 1
        if missingCount < 0 { counted = seen }
    }

    /// Adopts the count of a STATUS, which repeats the last REJECT. Returns the number of REJECTs
    /// that were missing.
    mutating func settle(count: UInt8) -> Int {
        noteCount(count)
        defer { seen = counted }
        return Int(max(0, missingCount))
    }

    /// Removes and returns the acknowledged command that a REJECT is about, or nil if it is not
    /// among the unsettled ones.
    mutating func take(_ type: MessageType, sequence: UInt8) -> SendWindow.Entry? {
        let index = unsettled.firstIndex {
            $0.frame.sequence == sequence && $0.frame.type == type
        }
        return index.map { unsettled.remove(at: $0) }
    }

    /// All commands whose outcome is settled by now: none while a REJECT is missing.
    mutating func takeSettled() -> [SendWindow.Entry] {
        if isRejectMissing { return [] }
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Forgets every command whose outcome is open, settled or not.
    mutating func takeAll() -> [SendWindow.Entry] {
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Stops waiting for the missing REJECTs when too many commands depend on them. In that case
    /// the device counts the REJECTs but sends neither them nor its state.
    mutating func giveUpIfFull() {
        guard isRejectMissing, unsettled.count > Self.unsettledMax else { return }
        seen = counted
        doubtAll()
    }

    /// The greatest number of unsettled commands, because sequence numbers repeat after 256.
    private static let unsettledMax = 128

    /// Marks each unsettled command as one that may have been rejected, because some REJECTs were
    /// never reported.
    mutating func doubtAll() {
        for index in unsettled.indices { unsettled[index].isDoubtful = true }
    }
}
