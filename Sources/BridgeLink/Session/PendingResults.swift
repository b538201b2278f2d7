// PendingResults: acknowledged commands, until it is known whether they were rejected (SPEC 4.4).
//
// An ACK also covers rejected commands. A REJECT may be lost, or not be sent if a newer REJECT is
// due first. The running count of REJECTs in ACK and STATUS shows whether a REJECT is missing.
// STATUS repeats the last one.

/// The acknowledged commands whose outcome is not settled, and the count of REJECTs.
struct PendingResults: Sendable {
    private var unsettled: [SendWindow.Entry] = []
    /// The number of REJECTs that arrived, modulo 256.
    private var seen: UInt8 = 0
    /// The number of REJECTs in the session according to the device, modulo 256.
    private var counted: UInt8 = 0

    /// True if a REJECT is missing, so that it must be requested with GET_STATUS.
    var isRejectMissing: Bool { missingCount > 0 }

    private var missingCount: Int8 { Int8(bitPattern: counted &- seen) }

    mutating func append(_ entries: [SendWindow.Entry]) { unsettled += entries }

    /// Adopts the count of an ACK. A count below the present one means that a REJECT arrived twice.
    mutating func noteCount(_ count: UInt8) {
        counted = count
        if missingCount < 0 { seen = count }
    }

    /// Counts a REJECT that had not been reported before.
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

    /// Removes and returns the acknowledged command that a REJECT concerns; nil if it is not among
    /// the unsettled commands.
    mutating func take(_ type: MessageType, sequence: UInt8) -> SendWindow.Entry? {
        let index = unsettled.firstIndex {
            $0.frame.sequence == sequence && $0.frame.type == type
        }
        return index.map { unsettled.remove(at: $0) }
    }

    /// Removes and returns all commands whose outcome is settled: none while a REJECT is missing.
    mutating func takeSettled() -> [SendWindow.Entry] {
        if isRejectMissing { return [] }
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Removes and returns all commands.
    mutating func takeAll() -> [SendWindow.Entry] {
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Stops waiting for the missing REJECTs when too many commands depend on them. This happens if
    /// the device counts REJECTs but sends neither them nor its state.
    mutating func giveUpIfFull() {
        guard isRejectMissing, unsettled.count > Self.unsettledMax else { return }
        seen = counted
        doubtAll()
    }

    /// The maximum number of unsettled commands. It is limited because sequence numbers repeat
    /// after 256.
    private static let unsettledMax = 128

    /// Marks every unsettled command as possibly rejected, because some REJECTs were never
    /// reported.
    mutating func doubtAll() {
        for index in unsettled.indices { unsettled[index].isDoubtful = true }
    }
}
