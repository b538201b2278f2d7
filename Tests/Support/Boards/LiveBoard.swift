// LiveBoard: a running virtual board, and the traffic of its bus.

import Foundation
import SerialPorts
import VirtualBoard

/// A running virtual board, which ends with its owner: the program `virtual-board`, or in virtual
/// time the same board on a thread of the clock.
public final class LiveBoard {
    private enum Server {
        case program(BoardProgram)
        case thread(BoardThread)
    }

    private let server: Server

    public convenience init(_ options: String...) throws { try self.init(options: options) }

    public init(options: [String]) throws {
        server =
            hostClock is VirtualClock
            ? .thread(try BoardThread(options))
            : .program(try BoardProgram(Tool.executable("virtual-board"), options))
    }

    /// Starts another build of `virtual-board`.
    public init(program url: URL, _ options: String...) throws {
        server = .program(try BoardProgram(url, options))
    }

    /// The port that hosts open.
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

    /// A transaction of the trace.
    public struct Transaction {
        /// The start in microseconds since power-up.
        public let start: Int
        /// The number of the actuator whose chip the transaction reached.
        public let actuator: Int
        /// The register that was written, and its new value; nil for a read.
        public let write: (register: Int, value: Int)?
    }

    /// The transactions that the bus has carried so far.
    public var transactions: [Transaction] {
        switch server {
        case .program(let program):
            program.traceText.split(separator: "\n").compactMap { Transaction($0) }
        case .thread(let thread): thread.transactions.map { Transaction($0) }
        }
    }

    /// Returns the levels above 0 that were written to the chip since `time`, in microseconds of
    /// board time.
    public func levels(since time: Int) -> [Int] {
        transactions.filter { $0.start > time && $0.write?.register == 2 }
            .compactMap(\.write?.value).filter { $0 > 0 }
    }

    /// The level last written to the chip.
    public var level: Int { transactions.last { $0.write?.register == 2 }?.write?.value ?? 0 }

    /// The levels last written to the chips, by the number of the actuator.
    public var levels: [Int: Int] { last(of: 2) }

    /// True if a level above 0 was ever written.
    public var hasDriven: Bool {
        transactions.contains { $0.write?.register == 2 && $0.write!.value > 0 }
    }

    /// True if the values last written were level 0 and standby.
    public var isAtRest: Bool { level == 0 && mode & 0x40 != 0 }

    private var mode: Int { transactions.last { $0.write?.register == 1 }?.write?.value ?? 0 }

    /// Returns whether the values last written for one actuator were level 0 and standby.
    public func isAtRest(_ actuator: Int) -> Bool {
        levels[actuator] ?? 0 == 0 && (last(of: 1)[actuator] ?? 0) & 0x40 != 0
    }

    /// Returns the last value written to a register, by the number of the actuator.
    private func last(of register: Int) -> [Int: Int] {
        transactions.reduce(into: [:]) { values, transaction in
            guard let write = transaction.write, write.register == register else { return }
            values[transaction.actuator] = write.value
        }
    }
}

extension LiveBoard.Transaction {
    /// Reads a line of the trace.
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
