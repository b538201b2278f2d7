// BoardTrace: the bus trace that a board in another process writes while it runs.

import CBridgeProtocol
import Foundation
import VirtualBoard

/// The growing trace file of a board program.
public final class BoardTrace {
    public enum Format: Sendable {
        /// The format of `virtual-board --trace`: transactions with times in microseconds. The
        /// state of the chip is reconstructed from the transactions.
        case transactions
        /// The format of a simulator's `--trace`: the lines of the lock-step protocol with times in
        /// cycles.
        case cycles(BoardSimulator)
    }

    private let file: FileHandle
    /// The parser for a trace in cycles; nil for a trace of transactions.
    private var cycles: CycleTrace?
    private var rest = Data()
    private var chip = ReplayedChip(chipID: 7)
    private var known: [BusTransaction] = []
    private var changes: [DriveChange] = []
    /// The number of lines that could not be parsed.
    private var strange = 0

    public init(_ path: String, _ format: Format) throws {
        if case .cycles(let simulator) = format { cycles = CycleTrace(of: simulator) }
        file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }

    public var transactions: [BusTransaction] {
        refresh()
        return known
    }

    var driveChanges: [DriveChange] {
        refresh()
        return changes
    }

    var isEnabled: Bool {
        refresh()
        return isEnabledSoFar
    }

    var findings: [String] {
        refresh()
        return chip.findings
            + (strange > 0 ? ["\(strange) lines of the trace could not be parsed"] : [])
    }

    /// Returns the time at which the device's clock shows `clock`. The clock of the virtual board
    /// starts at time 0, when the board is powered up.
    public func time(ofDeviceClock clock: UInt32) -> BoardTime {
        refresh()
        guard let cycles else { return BoardTime(Int32(bitPattern: clock &- BRIDGE_CLOCK_AT_BOOT)) }
        return cycles.time(ofDeviceClock: clock) ?? 0
    }

    func forget() {
        refresh()
        known.removeAll()
        changes.removeAll()
    }

    // MARK: Reading

    private func refresh() {
        guard let more = try? file.readToEnd(), !more.isEmpty else { return }
        var lines = (rest + more).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Data(lines.removeLast())
        for line in lines { parse(Substring(decoding: line, as: UTF8.self)) }
    }

    private func parse(_ line: Substring) {
        let isKnown = cycles == nil ? parseTransaction(line) : parseCycles(line)
        if !isKnown { strange += 1 }
    }

    private func parseTransaction(_ line: Substring) -> Bool {
        let fields = line.split(separator: " ")
        guard fields.count == 5, let start = BoardTime(fields[0]), let end = BoardTime(fields[1]),
            let actuator = Int(fields[2]), let bytes = [UInt8](hexadecimal: fields[3])
        else { return false }
        let drive = chip.replay(bytes, from: start, to: end)
        if drive != changes.last?.drive ?? 0 {
            changes.append(DriveChange(time: end, actuator: actuator, drive: drive))
        }
        known.append(
            BusTransaction(
                start: start, end: end, actuator: actuator, bytes: bytes,
                isAcknowledged: fields[4] == "1", drive: drive))
        return true
    }

    private func parseCycles(_ line: Substring) -> Bool {
        let wasEnabled = isEnabledSoFar
        guard cycles?.parse(line) == true else { return false }
        _ = cycles?.drainSent()
        _ = cycles?.drainPackets()
        if isEnabledSoFar != wasEnabled, let time = cycles?.lastEnableEdge {
            chip.enable(isEnabledSoFar, at: time)
        }
        let transactions = cycles?.busTransactions ?? []
        for transaction in transactions {
            _ = chip.replay(transaction.bytes, from: transaction.start, to: transaction.end)
        }
        known += transactions
        changes += cycles?.driveChanges ?? []
        cycles?.forget()
        return true
    }

    private var isEnabledSoFar: Bool { cycles?.isEnabled ?? true }
}
