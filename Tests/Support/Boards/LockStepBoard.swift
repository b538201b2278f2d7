// LockStepBoard: a simulated microcontroller that a test steps cycle by cycle.

import BridgeLink
import CBridgeProtocol
import Foundation
import VirtualBoard

/// A board that a simulator runs in lock-step. The board time, in microseconds since power-up, is
/// calculated from the simulator's cycles.
///
/// If the simulator crashes, ends or prints output that cannot be parsed, `failure` is set, and
/// time continues without it. The simulator is killed when its owner is released.
public final class LockStepBoard: BreakableBoard {
    public let simulator: BoardSimulator
    /// Everything that the simulator has reported, in cycles.
    public private(set) var trace: CycleTrace
    /// The current cycle.
    public private(set) var cycle: Cycle = 0
    /// The cycle at which the connection to the board becomes free.
    public private(set) var lineFree: Cycle = 0
    public private(set) var failure: String?
    /// A closure that is called once when the board fails, with the value of `failure`.
    public var onFailure: ((String) -> Void)?

    private let program: TextProgram
    private var output: [UInt8] = []
    /// The bytes that the USB host has received from the test and has neither sent nor lost.
    private var handedOver: [UInt8] = []
    /// The number of cycles that a byte takes on the line at the host's baud rate.
    public internal(set) var byteCycles: Cycle

    /// - Parameter options: options of the simulator, for example `["--chip", "3"]`.
    public init(_ simulator: BoardSimulator, options: [String] = []) throws {
        self.simulator = simulator
        trace = CycleTrace(of: simulator)
        byteCycles = simulator.byteCycles(baud: Int(BRIDGE_BAUD))
        program = try TextProgram(
            simulator.program, ["--lock-step"] + options + [simulator.image.path])
    }

    /// Starts a board with several actuators.
    public static func several(_ simulator: BoardSimulator) throws -> LockStepBoard {
        try LockStepBoard(simulator.withSeveralImage, options: simulator.severalOptions)
    }

    /// The complete and unchanged output of the simulator.
    public var rawOutput: String { String(decoding: output, as: UTF8.self) }

    // MARK: SteppedBoard

    public var now: BoardTime { simulator.time(of: cycle) }
    public var transactions: [BusTransaction] { trace.busTransactions }
    public var driveChanges: [DriveChange] { trace.driveChanges }

    public func send(_ bytes: [UInt8], at time: BoardTime) {
        send(bytes, atCycle: simulator.cycles(time))
    }

    /// Sends bytes to the board at a cycle, or as soon as the line is free. Returns the cycle at
    /// which the stop bit of the last byte ends. On USB, the function returns the cycle at which
    /// the board would receive the last byte if the host sent it without a delay.
    @discardableResult
    public func send(_ bytes: [UInt8], atCycle start: Cycle) -> Cycle {
        guard !bytes.isEmpty else { return lineFree }
        let start = max(start, cycle)
        command("rx \(start) \(bytes.hexadecimal)")
        if simulator.line == .usb { handedOver += bytes }
        lineFree = max(start, lineFree) + Cycle(bytes.count) * byteCycles
        return lineFree
    }

    public func advance(to time: BoardTime) {
        advance(toCycle: simulator.cycles(time))
    }

    /// Runs the board up to a cycle, one simulated second at a time. A busy computer may simulate
    /// slowly, and a simulator that does not answer for a long time is considered dead.
    public func advance(toCycle end: Cycle) {
        while cycle < end {
            let next = min(end, cycle + simulator.cycles(1_000_000))
            _ = ask("run \(next)", for: "at")
            cycle = next
        }
    }

    public func drainSent() -> [SentByte] {
        drainSentInCycles().map { SentByte(time: simulator.time(of: $0.cycle), byte: $0.byte) }
    }

    /// Returns the bytes that the board has sent, each with the cycle at which its stop bit ended.
    public func drainSentInCycles() -> [(cycle: Cycle, byte: UInt8)] { trace.drainSent() }

    /// The number of bytes that the USB host has stored, except for the bytes that `drainArrived`
    /// has returned.
    public var handedOverCount: Int { handedOver.count }

    /// Returns the packets that have been received over USB since the last call, each with the
    /// cycle at which it ended.
    public func drainArrived() -> [(cycle: Cycle, bytes: [UInt8])] {
        trace.drainPackets().compactMap { packet in
            let bytes = Array(handedOver.prefix(packet.count))
            handedOver.removeFirst(bytes.count)
            return packet.hasArrived ? (packet.cycle, bytes) : nil
        }
    }

    /// Clears the trace, except for resets and clock starts.
    public func forgetTrace() { trace.forget() }

    // MARK: TracedBoard

    public var hasTrace: Bool { true }
    public var isEnabled: Bool { trace.isEnabled }
    public var findings: [String] { chipFindings.descriptions }

    public func traceTime(of clock: UInt32) -> BoardTime {
        trace.time(ofDeviceClock: clock) ?? 0
    }

    // MARK: The simulator

    /// Sends the simulator a command without an answer.
    func command(_ line: String) {
        if failure == nil { program.write(line) }
    }

    /// Sends the simulator a command and returns the fields of its answer after `keyword`. Other
    /// lines received in the meantime are added to the trace. Returns an empty array after a
    /// failure.
    func ask(_ line: String, for keyword: String) -> [Substring] {
        command(line)
        while failure == nil {
            guard let bytes = program.nextLine() else {
                fail("the simulator \(program.epitaph())")
                break
            }
            output += bytes + [UInt8(ascii: "\n")]
            let text = Substring(decoding: bytes, as: UTF8.self)
            let fields = text.split(separator: " ")
            if fields.first == keyword[...] { return Array(fields.dropFirst()) }
            if !trace.parse(text) {
                fail("the simulator printed \"\(text)\" after \"\(line)\"; \(program.epitaph())")
            }
        }
        return []
    }

    private func fail(_ reason: String) {
        failure = reason
        onFailure?(reason)
    }
}
