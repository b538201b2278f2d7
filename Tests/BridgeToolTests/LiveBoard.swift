// LiveBoard: a running virtual-board, and what its bus has carried.

import Foundation
import TestSupport

/// The program virtual-board, ended with its owner.
final class LiveBoard {
    private let program: BoardProgram
    /// The port that hosts open.
    var port: String { program.port }
    /// When the board got power, as far as can be told from outside.
    var startedAt: Date { program.startedAt }

    init(_ options: String...) throws {
        program = try BoardProgram(Tool.executable("virtual-board"), options)
    }

    /// Ends it and returns its exit status.
    func end() -> Int32 { program.end() }

    /// One transaction of the trace.
    struct Transaction {
        /// Microseconds since the board got power.
        let start: Int
        /// The register that was written, and its new value; nil for a read.
        let write: (register: Int, value: Int)?
    }

    /// What the bus has carried so far.
    var transactions: [Transaction] {
        program.traceText.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 5, let start = Int(fields[0]) else { return nil }
            let bytes = fields[3]
            guard bytes.count == 6 else { return Transaction(start: start, write: nil) }
            let register = Int(bytes.dropFirst(2).prefix(2), radix: 16)!
            return Transaction(
                start: start, write: (register, Int(bytes.suffix(2), radix: 16)!))
        }
    }

    /// The level that the chip was given last.
    var level: Int { transactions.last { $0.write?.register == 2 }?.write?.value ?? 0 }

    /// Whether a level above 0 was ever written.
    var hasDriven: Bool { transactions.contains { $0.write?.register == 2 && $0.write!.value > 0 } }

    /// Whether level 0 and standby were the last things written to level and mode.
    var isAtRest: Bool { level == 0 && mode & 0x40 != 0 }

    /// When standby was entered last, in microseconds since the board got power.
    var restTime: Int? { transactions.last { $0.write?.register == 1 }?.start }

    private var mode: Int { transactions.last { $0.write?.register == 1 }?.write?.value ?? 0 }
}
