// LockStepBoard: the simulated ATmega328P, stepped cycle by cycle by a test.

import BridgeLink
import Foundation
import VirtualBoard

/// A board served by `avr-board --lock-step`. Board time is cycles / 16, in microseconds since
/// power-up.
///
/// A simulator that crashes, ends or prints something that is not understood sets `failure`; time
/// then continues without it. It is killed with its owner.
public final class LockStepBoard: BreakableBoard {
    /// Everything that the simulator has reported, in cycles.
    public private(set) var trace = CycleTrace()
    /// The cycle reached so far.
    public private(set) var cycle: Cycle = 0
    /// The cycle from which on the line to the board is free.
    public private(set) var lineFree: Cycle = 0
    public private(set) var failure: String?
    /// A closure that is called once, with `failure`.
    public var onFailure: ((String) -> Void)?

    /// The simulator: the one that was built, or the one that `HAPTIC_BRIDGE_SIMULATOR` names.
    public static let simulator =
        ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_SIMULATOR"]
        .map { URL(fileURLWithPath: $0) }
        ?? PackageFolder.url.appending(path: ".build/simulator/avr-board")

    /// The flash memory of the ATmega328P: the committed image, or the one that
    /// `HAPTIC_BRIDGE_IMAGE` names.
    public static let image =
        ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_IMAGE"]
        .map { URL(fileURLWithPath: $0) }
        ?? PackageFolder.url.appending(path: "Firmware/boards/atmega328p/atmega328p.hex")

    /// The image for several actuators: the committed one, or the one that
    /// `HAPTIC_BRIDGE_SEVERAL_IMAGE` names.
    public static let severalImage =
        ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_SEVERAL_IMAGE"]
        .map { URL(fileURLWithPath: $0) }
        ?? PackageFolder.url.appending(
            path: "Firmware/boards/atmega328p/atmega328p-several.hex")
    /// The number of actuators for which the image for several actuators is made.
    public static let severalActuators = 4

    private let program: TextProgram
    private var output: [UInt8] = []
    /// The cycles that a byte takes on the line, at the host's rate.
    var byteCycles = CycleTrace.cyclesPerByte

    /// - Parameters:
    ///   - image: the flash memory as Intel hex.
    ///   - options: options of the simulator, for example `["--chip", "3"]`.
    public init(program: URL, image: URL, options: [String] = []) throws {
        self.program = try TextProgram(program, ["--lock-step"] + options + [image.path])
    }

    /// Everything that the simulator printed, unchanged.
    public var rawOutput: String { String(decoding: output, as: UTF8.self) }

    // MARK: SteppedBoard

    public var now: BoardTime { CycleTrace.time(of: cycle) }
    public var transactions: [BusTransaction] { trace.busTransactions }
    public var driveChanges: [DriveChange] { trace.driveChanges }

    public func send(_ bytes: [UInt8], at time: BoardTime) {
        send(bytes, atCycle: time * CycleTrace.cyclesPerMicrosecond)
    }

    /// Makes bytes arrive from a cycle on, or as soon as the line is free. Returns the cycle at
    /// which the stop bit of the last one ends.
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

    /// Returns the bytes that the board has sent, with the cycles at which their stop bits ended.
    public func takeSentInCycles() -> [(cycle: Cycle, byte: UInt8)] { trace.takeSent() }

    /// Forgets the trace, except resets and starts of the clock.
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
