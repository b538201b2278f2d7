// PendingResults: commands that have been acknowledged but may have been rejected (SPEC 4.4).
//
// An ACK also covers rejected commands. The REJECT of such a command may be lost, or may not be
// sent at all because a newer REJECT is sent instead. The running count of REJECTs in ACK and
// STATUS reveals whether a REJECT is missing. STATUS repeats the last REJECT.

/// The acknowledged commands whose outcome is unknown, and the count of REJECTs.
struct PendingResults: Sendable {
    private var unsettled: [SendWindow.Entry] = []
    /// The number of REJECTs that have arrived, modulo 256.
    private var seen: UInt8 = 0
    /// The number of REJECTs that the device has counted since HELLO, modulo 256.
    private var counted: UInt8 = 0

    /// True if a REJECT is missing, so GET_STATUS is needed to retrieve the missing REJECT.
    var isRejectMissing: Bool { missingCount > 0 }

    private var missingCount: Int8 { Int8(bitPattern: counted &- seen) }

    mutating func append(_ entries: [SendWindow.Entry]) { unsettled += entries }

    /// Adopts the count in an ACK. If the count is below the number of REJECTs that have arrived, a
    /// REJECT was counted twice.
    mutating func recordCount(_ count: UInt8) {
        counted = count
        if missingCount < 0 { seen = count }
    }

    /// Counts a REJECT that has not been reported before.
    mutating func recordReject() {
        seen &+= 1
        if missingCount < 0 { counted = seen }
    }

    /// Adopts the count in a STATUS, which repeats the last REJECT. Returns the number of REJECTs
    /// that were missing.
    mutating func settle(count: UInt8) -> Int {
        recordCount(count)
        defer { seen = counted }
        return Int(max(0, missingCount))
    }

    /// Removes and returns the acknowledged command that a REJECT refers to; nil if no unsettled
    /// command matches.
    mutating func remove(_ type: MessageType, sequence: UInt8) -> SendWindow.Entry? {
        let index = unsettled.firstIndex {
            $0.frame.sequence == sequence && $0.frame.type == type
        }
        return index.map { unsettled.remove(at: $0) }
    }

    /// Removes and returns all commands whose outcome is known; returns no commands as long as a
    /// REJECT is missing.
    mutating func removeSettled() -> [SendWindow.Entry] {
        if isRejectMissing { return [] }
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Removes and returns all commands.
    mutating func removeAll() -> [SendWindow.Entry] {
        defer { unsettled.removeAll() }
        return unsettled
    }

    /// Stops waiting for missing REJECTs if too many commands depend on them. Such an accumulation
    /// occurs if the device counts REJECTs, but sends neither the REJECTs nor its state.
    mutating func giveUpIfFull() {
        guard isRejectMissing, unsettled.count > Self.unsettledMax else { return }
        seen = counted
        doubtAll()
    }

    /// The maximum number of commands whose outcome is unknown. The number is limited because
    /// sequence numbers repeat after 256 messages: a REJECT could otherwise refer to either of two
    /// commands.
    private static let unsettledMax = 128

    /// Marks every command whose outcome is unknown as possibly rejected, because some REJECTs were
    /// never reported.
    mutating func doubtAll() {
        for index in unsettled.indices { unsettled[index].isDoubtful = true }
    }
}
