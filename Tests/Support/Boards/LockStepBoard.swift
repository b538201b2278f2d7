// LockStepBoard: a simulated microcontroller, stepped cycle by cycle by a test.

import BridgeLink
import CBridgeProtocol
import Foundation
import VirtualBoard

/// A board served by a simulator in lock-step. Board time is that of its cycles, in microseconds
/// since power-up.
///
/// A simulator that crashes, ends or prints something that is not understood sets `failure`; time
/// then continues without it. It is killed with its owner.
public final class LockStepBoard: BreakableBoard {
    public let simulator: BoardSimulator
    /// Everything that the simulator has reported, in cycles.
    public private(set) var trace: CycleTrace
    /// The cycle reached so far.
    public private(set) var cycle: Cycle = 0
    /// The cycle from which on the line to the board is free.
    public private(set) var lineFree: Cycle = 0
    public private(set) var failure: String?
    /// A closure that is called once, with `failure`.
    public var onFailure: ((String) -> Void)?

    private let program: TextProgram
    private var output: [UInt8] = []
    /// The bytes that a host on USB has been given and that are neither sent nor lost.
    private var handedOver: [UInt8] = []
    /// The cycles that a byte takes on the line, at the host's rate.
    public internal(set) var byteCycles: Cycle

    /// - Parameter options: options of the simulator, for example `["--chip", "3"]`.
    public init(_ simulator: BoardSimulator, options: [String] = []) throws {
        self.simulator = simulator
        trace = CycleTrace(of: simulator)
        byteCycles = simulator.byteCycles(baud: Int(BRIDGE_BAUD))
        program = try TextProgram(
            simulator.program, ["--lock-step"] + options + [simulator.image.path])
    }

    /// Returns a board with several actuators.
    public static func several(_ simulator: BoardSimulator) throws -> LockStepBoard {
        var several = simulator
        several.image = simulator.severalImage
        return try LockStepBoard(
            several, options: ["--actuators", "\(simulator.severalActuators)"])
    }

    /// Everything that the simulator printed, unchanged.
    public var rawOutput: String { String(decoding: output, as: UTF8.self) }

    // MARK: SteppedBoard

    public var now: BoardTime { simulator.time(of: cycle) }
    public var transactions: [BusTransaction] { trace.busTransactions }
    public var driveChanges: [DriveChange] { trace.driveChanges }

    public func send(_ bytes: [UInt8], at time: BoardTime) {
        send(bytes, atCycle: simulator.cycles(time))
    }

    /// Makes bytes arrive from a cycle on, or as soon as the line is free. Returns the cycle at
    /// which the stop bit of the last one ends; on USB, the cycle at which they would have arrived if
    /// nothing kept the host from sending.
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

    /// Runs the board up to a cycle.
    public func advance(toCycle end: Cycle) {
        guard end > cycle else { return }
        _ = ask("run \(end)", for: "at")
        cycle = end
    }

    public func takeSent() -> [SentByte] {
        takeSentInCycles().map { SentByte(time: simulator.time(of: $0.cycle), byte: $0.byte) }
    }

    /// Returns the bytes that the board has sent, with the cycles at which their stop bits ended.
    public func takeSentInCycles() -> [(cycle: Cycle, byte: UInt8)] { trace.takeSent() }

    /// The number of bytes that a host on USB holds, not counting those that `takeArrived` has taken.
    public var handedOverCount: Int { handedOver.count }

    /// Returns the bytes that have arrived over USB since the last call: packets, each with the cycle
    /// at which it ended.
    public func takeArrived() -> [(cycle: Cycle, bytes: [UInt8])] {
        trace.takePackets().compactMap { packet in
            let bytes = Array(handedOver.prefix(packet.count))
            handedOver.removeFirst(bytes.count)
            return packet.hasArrived ? (packet.cycle, bytes) : nil
        }
    }

    /// Forgets the trace, except resets and starts of the clock.
    public func forgetTrace() { trace.forget() }

    // MARK: TracedBoard

    public var hasTrace: Bool { true }
    public var isEnabled: Bool { trace.isEnabled }
    public var findings: [String] { chipFindings.descriptions }

    public func traceTime(of clock: UInt32) -> BoardTime {
        trace.time(ofDeviceClock: clock) ?? 0
    }

    // MARK: The simulator

    /// Gives the simulator a command that it does not answer.
    func command(_ line: String) {
        if failure == nil { program.write(line) }
    }

    /// Gives the simulator a command that it answers, and returns the fields after `keyword`; what
    /// it reports meanwhile enters the trace. Returns nothing once there is a failure.
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
            if !trace.take(text) {
                fail("the simulator said \"\(text)\" after \"\(line)\"; \(program.epitaph())")
            }
        }
        return []
    }

    private func fail(_ reason: String) {
        failure = reason
        onFailure?(reason)
    }
}
