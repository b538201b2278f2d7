// VirtualBoardThread: a virtual board on a thread of a virtual clock.

import BridgeLink
import Foundation
import SerialPorts
import VirtualBoard

/// A virtual or simulated board behind a local socket.
final class VirtualBoardThread {
    private struct State {
        var isEnded = false
        var isGone = false
        var isResetPressed = false
        var isUnplugged = false
        var faults: [ChipFault] = []
        var hostCount = 0
        var transactions: [BusTransaction] = []

        mutating func takeFaults() -> [ChipFault] {
            defer { faults = [] }
            return faults
        }
    }

    private let state = LockedValue(State())
    private let folder = Folder()
    /// The path of the board's port, which hosts open.
    let port: String

    /// - Parameter options: the options of the program `virtual-board`.
    convenience init(_ options: [String], ppm: Int) throws {
        let options = try VirtualBoardOptions.parse(options)
        self.init(ppm, resetsOnOpen: options.resetOnOpen) { options.makeBoard() }
    }

    /// Starts a simulated board in lock-step with the virtual clock.
    convenience init(_ simulator: BoardSimulator, _ options: [String], ppm: Int) {
        self.init(ppm, resetsOnOpen: simulator.isResetByDTR) {
            try LockStepBoard(simulator, options: options)
        }
    }

    private init<Board: BreakableBoard>(
        _ ppm: Int, resetsOnOpen: Bool, _ makeBoard: @escaping @Sendable () throws -> Board
    ) {
        port = folder.path("board")
        let thread = Thread(
            block: hostClock.body { [state, port] in
                try? Self.serve(try makeBoard(), at: port, ppm, resetsOnOpen, state)
                state.withLock { $0.isGone = true }
            })
        thread.start()
        while !FileManager.default.fileExists(atPath: port), !state.withLock({ $0.isGone }) {
            hostClock.sleep(for: 1)
        }
    }

    deinit { state.withLock { $0.isEnded = true } }

    private static func serve<Board: BreakableBoard>(
        _ board: Board, at port: String, _ ppm: Int, _ resetsOnOpen: Bool,
        _ state: LockedValue<State>
    ) throws {
        let cable = try Cable(to: port)
        let server = VirtualBoardServer(
            board, at: cable, drift: Double(ppm) / 1e6, resetsOnOpen: resetsOnOpen,
            isResetPressed: {
                state.withLock { state in
                    defer { state.isResetPressed = false }
                    return state.isResetPressed
                }
            },
            intervene: { board in
                for fault in state.withLock({ $0.takeFaults() }) { board.chip(fault) }
            },
            trace: { new in state.withLock { $0.transactions += new } })
        try server.serve {
            state.withLock { state in
                state.hostCount = cable.hostCount
                cable.isPlugged = !state.isUnplugged
                return !state.isEnded
            }
        }
    }

    /// Injects a fault into the chip of the first actuator.
    func chip(_ fault: ChipFault) { state.withLock { $0.faults.append(fault) } }

    func reset() { state.withLock { $0.isResetPressed = true } }

    /// Unplugs the cable, which resets the board, or plugs the cable in again.
    func plug(_ isPlugged: Bool) {
        state.withLock { ($0.isUnplugged, $0.isResetPressed) = (!isPlugged, true) }
    }

    /// Removes the board, and returns once it has stopped.
    func end() {
        state.withLock { $0.isEnded = true }
        while !state.withLock({ $0.isGone }) { hostClock.sleep(for: 1_000) }
    }

    /// The number of hosts that have opened the port so far.
    var hostCount: Int { state.withLock { $0.hostCount } }

    var transactions: [BusTransaction] { state.withLock { $0.transactions } }
}

/// The cable between a board and its host. The port exists only while the cable is plugged in.
private final class Cable: BoardTerminal {
    private let port: String
    private var socket: SocketEnd?
    /// The number of hosts that have opened the port since the cable was last plugged in.
    var hostCount: Int { socket?.hostCount ?? 0 }

    init(to port: String) throws {
        self.port = port
        socket = try SocketEnd(path: port)
    }

    var isPlugged = true {
        didSet {
            guard isPlugged != oldValue else { return }
            socket = isPlugged ? try? SocketEnd(path: port) : nil
        }
    }

    var isOpen: Bool { socket?.isOpen ?? false }

    func wait(until deadline: HostTime) {
        guard let socket else { return hostClock.sleep(for: deadline - Link.now()) }
        socket.wait(until: deadline)
    }

    func read() -> [UInt8] { socket?.read() ?? [] }
    func write(_ bytes: [UInt8]) { socket?.write(bytes) }
}
