// SimulatedBoard: a board that consists of the firmware core and the model of the chip, and that
// runs on the clock of the page.

import BridgeLink
import CBridgeFirmware
import DRV2605
import VirtualBoard

/// A board in virtual time, and the bytes that it has sent.
final class SimulatedBoard {
    let board: InProcessBoard
    /// The time on the page's clock at board time 0.
    let origin: Double
    private var onTheLine: [SentByte] = []
    /// The time up to which the line to the board is busy.
    private var lineFree: BoardTime = 0

    init(isConfigured: Bool, at now: Double) {
        var options = InProcessBoard.Options()
        if isConfigured { options.configuration = ActuatorConfiguration.coinLRA.bytes }
        board = InProcessBoard(options: options)
        origin = now
    }

    private func boardTime(_ now: Double) -> BoardTime { BoardTime(now - origin) }

    /// The time that a byte takes on the line, in microseconds.
    private static let byteTime: BoardTime = 40

    func send(_ bytes: [UInt8], at now: Double) {
        board.send(bytes, at: boardTime(now))
        lineFree = max(lineFree, boardTime(now)) + BoardTime(bytes.count) * Self.byteTime
    }

    /// Returns the number of bytes that the board has not received yet.
    func unsent(at now: Double) -> Int {
        Int(max(0, lineFree - boardTime(now)) / Self.byteTime)
    }

    /// Runs the board up to a time, and returns the bytes that have arrived.
    func run(to now: Double) -> [UInt8] {
        board.advance(to: boardTime(now))
        onTheLine += board.drainSent()
        let arrived = onTheLine.prefix { $0.time <= board.now }
        onTheLine.removeFirst(arrived.count)
        return arrived.map { $0.byte }
    }

    /// Returns the writes to the level register since the last call: for each write, the time on
    /// the page's clock in microseconds, the value that was written, and the drive of the chip,
    /// -255...255.
    func takeLevels() -> [Double] {
        var levels: [Double] = []
        for write in board.transactions where write.bytes.count == 3 {
            guard write.bytes[1] == Self.level else { continue }
            levels += [origin + Double(write.start), Double(write.bytes[2]), Double(write.drive)]
        }
        board.forgetTrace()
        return levels
    }

    /// The number of the level register (SLOS854D 8.6.3).
    private static let level: UInt8 = 2
}

/// The simulated board; nil if there is none.
nonisolated(unsafe) private var simulated: SimulatedBoard?

/// Switches on a virtual board, with a coin LRA if it is configured.
@_expose(wasm, "startBoard") @_cdecl("web_start_board")
public func startBoard(_ isConfigured: Bool, _ now: Double) {
    simulated = SimulatedBoard(isConfigured: isConfigured, at: now)
}

/// Makes the virtual board report a different kind of board and a different firmware version. This
/// function must be called before the board is connected.
@_expose(wasm, "disguiseBoard") @_cdecl("web_disguise_board")
public func disguiseBoard(_ kind: Int32, _ firmware: Int32) {
    simulated?.board.core.pointee.board.kind = UInt8(clamping: kind)
    simulated?.board.core.pointee.board.firmware = UInt16(clamping: firmware)
}

/// Removes the virtual board.
@_expose(wasm, "removeBoard") @_cdecl("web_remove_board")
public func removeBoard() { simulated = nil }

/// Sends bytes to the virtual board.
@_expose(wasm, "sendToBoard") @_cdecl("web_send_to_board")
public func sendToBoard(_ bytes: UnsafePointer<UInt8>, _ count: Int32, _ now: Double) {
    simulated?.send(taken(bytes, count), at: now)
}

/// Returns the number of bytes that are on the line to the board.
@_expose(wasm, "unsentToBoard") @_cdecl("web_unsent_to_board")
public func unsentToBoard(_ now: Double) -> Int32 { Int32(simulated?.unsent(at: now) ?? 0) }

/// Runs the board up to the current time, and provides the bytes that have arrived from it.
@_expose(wasm, "runBoard") @_cdecl("web_run_board")
public func runBoard(_ now: Double) -> Int32 {
    (simulated?.run(to: now) ?? []).give()
}

/// Provides the levels on the bus since the last call, as triples of 64-bit numbers: the time, the
/// value that was written, and the drive of the chip.
@_expose(wasm, "boardLevels") @_cdecl("web_board_levels")
public func boardLevels() -> Int32 {
    var bytes: [UInt8] = []
    for value in simulated?.takeLevels() ?? [] {
        for shift in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * shift)))
        }
    }
    return bytes.give()
}

/// Short-circuits the outputs of the chip, or makes the storage fail.
@_expose(wasm, "breakBoard") @_cdecl("web_break_board")
public func breakBoard(_ isShort: Bool) {
    guard let board = simulated?.board else { return }
    if isShort {
        board.short(outputsOfActuator: 0)
    } else {
        bridge_storage_failed(board.core)
    }
}
