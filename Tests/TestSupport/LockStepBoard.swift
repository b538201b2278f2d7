// LockStepBoard: the simulated ATmega328P, stepped cycle by cycle by a test.

import BridgeLink
import Foundation
import VirtualBoard

/// `avr-board --lock-step` as a board. Board time is cycles / 16, in microseconds since power-up.
///
/// A simulator that crashes, leaves or says what is not understood makes `failure`; time then goes
/// on without it. It is killed with its owner.
public final class LockStepBoard: BreakableBoard {
    /// Everything that the simulator told, in cycles.
    public private(set) var trace = CycleTrace()
    /// The cycle reached so far.
    public private(set) var cycle: Cycle = 0
    /// The cycle from which on the line to the board is free.
    public private(set) var lineFree: Cycle = 0
    public private(set) var failure: String?
    /// Called once, with `failure`.
    public var onFailure: ((String) -> Void)?

    /// The simulator: as built, or as `HAPTIC_BRIDGE_SIMULATOR` says.
    public static let simulator =
        ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_SIMULATOR"]
        .map { URL(fileURLWithPath: $0) }
        ?? PackageFolder.url.appending(path: ".build/simulator/avr-board")

    /// The flash memory of the ATmega328P: as it ships, or as `HAPTIC_BRIDGE_IMAGE` says.
    public static let image =
        ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_IMAGE"]
        .map { URL(fileURLWithPath: $0) }
        ?? PackageFolder.url.appending(path: "Firmware/boards/atmega328p/atmega328p.hex")

    /// That for several actuators: as it ships, or as `HAPTIC_BRIDGE_SEVERAL_IMAGE` says.
    public static let severalImage =
        ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_SEVERAL_IMAGE"]
        .map { URL(fileURLWithPath: $0) }
        ?? PackageFolder.url.appending(
            path: "Firmware/boards/atmega328p/atmega328p-several.hex")
    /// How many it is made for.
    public static let severalActuators = 4

    private let program: LineProgram
    private var output: [UInt8] = []
    /// What a byte takes on the line, at the host's rate.
    var byteCycles = CycleTrace.cyclesPerByte

    /// - Parameters:
    ///   - image: Intel hex of the flash memory.
    ///   - options: of the simulator, for example `["--chip", "3"]`.
    public init(program: URL, image: URL, options: [String] = []) throws {
        self.program = try LineProgram(program, ["--lock-step"] + options + [image.path])
    }

    /// All that the simulator printed, as it printed it.
    public var rawOutput: String { String(decoding: output, as: UTF8.self) }

    // MARK: SteppedBoard

    public var now: BoardTime { CycleTrace.time(of: cycle) }
    public var transactions: [BusTransaction] { trace.busTransactions }
    public var driveChanges: [DriveChange] { trace.driveChanges }

    public func send(_ bytes: [UInt8], at time: BoardTime) {
        send(bytes, atCycle: time * CycleTrace.cyclesPerMicrosecond)
    }

    /// Has bytes arrive from a cycle on, or from when the line is free. Returns when the stop bit of
    /// the last one ends.
    @discardableResult
    public func send(_ bytes: [UInt8], atCycle start: Cycle) -> Cycle {
        guard !bytes.isEmpty else { return lineFree }
        let start = max(start, cycle)
        command("rx \(start) \(bytes.hexadecimal)")
        lineFree = max(start, lineFree) + Cycle(bytes.count) * byteCycles
        return lineFree
    }

    public func advance(to time: BoardTime) {
        advance(toCycle: time * CycleTrace.cyclesPerMicrosecond)
    }

    /// Runs the board up to a cycle.
    public func advance(toCycle end: Cycle) {
        guard end > cycle else { return }
        _ = ask("run \(end)", for: "at")
        cycle = end
    }

    public func takeSent() -> [SentByte] {
        takeSentInCycles().map { SentByte(time: CycleTrace.time(of: $0.cycle), byte: $0.byte) }
    }

    /// The same, by the cycles at which stop bits ended.
    public func takeSentInCycles() -> [(cycle: Cycle, byte: UInt8)] { trace.takeSent() }

    /// Resets and starts of the clock are kept.
    public func forgetTrace() { trace.forget() }

    // MARK: TracedBoard

    public var hasTrace: Bool { true }
    public var isEnabled: Bool { trace.isEnabled }
    public var findings: [String] { chipFindings.descriptions }

    public func traceTime(of clock: UInt32) -> BoardTime {
        trace.cycle(ofDeviceClock: clock).map { CycleTrace.time(of: $0) } ?? 0
    }

    // MARK: The simulator

    /// Gives the simulator a command that it does not answer.
    func command(_ line: String) {
        if failure == nil { program.write(line) }
    }

    /// Gives it one that it does, and returns the fields after `keyword`; what it tells meanwhile
    /// enters the trace. Empty once there is a failure.
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
