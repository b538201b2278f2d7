// LiveBoard: a running virtual board, and the traffic on its bus.

import Foundation
import SerialPorts
import VirtualBoard

/// A running virtual or simulated board, which ends when its owner is released. In real time, the
/// board is the program `virtual-board`; in virtual time, it is the same board on a thread of the
/// virtual clock.
public final class LiveBoard {
    private enum Server {
        case program(BoardProgram)
        case thread(VirtualBoardThread)
    }

    private let server: Server

    public convenience init(_ options: String...) throws { try self.init(options: options) }

    /// - Parameter ppm: the drift of the board's clock in virtual time, in parts per million.
    public init(options: [String], ppm: Int = 0) throws {
        server =
            hostClock is VirtualClock
            ? .thread(try VirtualBoardThread(options, ppm: ppm))
            : .program(try BoardProgram(Tool.executable("virtual-board"), options))
    }

    /// Starts a simulated board in virtual time, with options of its simulator.
    public init(_ simulator: BoardSimulator, options: [String] = [], ppm: Int = 0) {
        precondition(hostClock is VirtualClock)
        server = .thread(VirtualBoardThread(simulator, options, ppm: ppm))
    }

    /// Starts a different build of `virtual-board`.
    public init(program url: URL, _ options: String...) throws {
        server = .program(try BoardProgram(url, options))
    }

    /// The path of the board's port, which hosts open.
    public var port: String {
        switch server {
        case .program(let program): program.port
        case .thread(let thread): thread.port
        }
    }

    /// True if a host has ever opened the port of a board in virtual time.
    public var wasOpened: Bool {
        guard case .thread(let thread) = server else { preconditionFailure("not known here") }
        return thread.hostCount > 0
    }

    /// Presses the reset button of the board.
    public func reset() {
        switch server {
        case .program(let program): program.reset()
        case .thread(let thread): thread.reset()
        }
    }

    /// Unplugs the cable of a board in virtual time, which resets the board, or plugs the cable in
    /// again.
    public func plug(_ isPlugged: Bool) {
        guard case .thread(let thread) = server else { preconditionFailure("it has no cable") }
        thread.plug(isPlugged)
    }

    /// Injects a fault into the chip of the first actuator of a board in virtual time.
    public func chip(_ fault: ChipFault) {
        guard case .thread(let thread) = server else {
            preconditionFailure("no access to its chip")
        }
        thread.chip(fault)
    }

    /// Ends the board, and returns the exit status of its program.
    @discardableResult
    public func end() -> Int32 {
        switch server {
        case .program(let program): return program.end()
        case .thread(let thread):
            thread.end()
            return 0
        }
    }

    /// A bus transaction from the trace.
    public struct Transaction {
        /// The start time, in microseconds since power-up.
        public let start: Int
        /// The number of the actuator that belongs to the addressed chip.
        public let actuator: Int
        /// The register that was written, with its new value; nil for a read.
        public let write: (register: Int, value: Int)?
    }

    /// All bus transactions so far.
    public var transactions: [Transaction] {
        switch server {
        case .program(let program):
            program.traceText.split(separator: "\n").compactMap { Transaction($0) }
        case .thread(let thread): thread.transactions.map { Transaction($0) }
        }
    }

    /// Returns the nonzero levels that were written to the chip since `time`, which is in
    /// microseconds of board time.
    public func levels(since time: Int) -> [Int] {
        transactions.filter { $0.start > time && $0.write?.register == 2 }
            .compactMap(\.write?.value).filter { $0 > 0 }
    }

    /// The last level that was written to the chip.
    public var level: Int { transactions.last { $0.write?.register == 2 }?.write?.value ?? 0 }

    /// The last level that was written to each chip, keyed by the number of the actuator.
    public var levels: [Int: Int] { last(of: 2) }

    /// True if a nonzero level has been written.
    public var hasDriven: Bool {
        transactions.contains { $0.write?.register == 2 && $0.write!.value > 0 }
    }

    /// True if the last values written are level 0 and standby.
    public var isAtRest: Bool { level == 0 && mode & 0x40 != 0 }

    /// The last value that was written to the register MODE.
    public var mode: Int { transactions.last { $0.write?.register == 1 }?.write?.value ?? 0 }

    /// Returns true if the last values that were written for an actuator are level 0 and standby.
    public func isAtRest(_ actuator: Int) -> Bool {
        levels[actuator] ?? 0 == 0 && (last(of: 1)[actuator] ?? 0) & 0x40 != 0
    }

    /// Returns the last value that was written to a register of each chip, keyed by the number of
    /// the actuator.
    private func last(of register: Int) -> [Int: Int] {
        transactions.reduce(into: [:]) { values, transaction in
            guard let write = transaction.write, write.register == register else { return }
            values[transaction.actuator] = write.value
        }
    }
}

extension LiveBoard.Transaction {
    /// Parses a line of the trace.
    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: " ")
        guard fields.count == 5, let start = Int(fields[0]), let actuator = Int(fields[2]) else {
            return nil
        }
        let bytes = fields[3]
        (self.start, self.actuator) = (start, actuator)
        write =
            bytes.count == 6
            ? (
                Int(bytes.dropFirst(2).prefix(2), radix: 16)!, Int(bytes.suffix(2), radix: 16)!
            ) : nil
    }

    fileprivate init(_ transaction: BusTransaction) {
        (start, actuator) = (Int(transaction.start), transaction.actuator)
        let bytes = transaction.bytes
        write = bytes.count == 3 ? (Int(bytes[1]), Int(bytes[2])) : nil
    }
}
