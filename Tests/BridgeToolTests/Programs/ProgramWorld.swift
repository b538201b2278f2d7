// ProgramWorld: many programs of one user that share a board, for suites with the trait
// `.virtualTime`.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

/// A board with three actuators, a server that the first program starts, and programs that start
/// and end.
///
/// At the left handle, a witness program taps in its own rhythm at full level, while other programs
/// hold levels of up to half of the full level. Only `bridge play` plays at the right handle, and
/// only the studio at the left trigger. Each tap and each level must be played as requested,
/// regardless of what misbehaving programs do at the same time.
final class ProgramWorld: Sendable {
    let seed: UInt64
    let port: String
    /// The expected levels at the left handle.
    let plan = FeltPlan()
    private let board: LockedValue<LiveBoard>
    /// The time until which the witness plays; nil before it has started.
    let playsUntil = LockedValue<HostTime>(0)
    private let bootedAt: HostTime
    private let complaints = LockedValue<[String]>([])
    /// The number of taps that `bridge play` has reported as played.
    private let played = LockedValue(0)
    /// True while `bridge play` plays at the right handle. Only one `bridge play` runs at a time,
    /// because simultaneous taps of two runs would be counted as one tap.
    private let isPlaying = LockedValue(false)
    /// The expected maximum level at the left trigger in each time range.
    private let atTrigger = LockedValue<[(level: Int, range: Range<HostTime>)]>([])
    /// The number of programs that have started so far. `running` is the number of programs that
    /// have not ended.
    private let programs = LockedValue<UInt64>(0)
    private let running = LockedValue(0)
    private let hasStudio = LockedValue(false)
    private let folder = Folder()

    /// The promised maximum time until a start, a rejection or an end, in seconds.
    static let patience = 6.0

    /// Runs a seed. Returns descriptions of all errors.
    static func run(_ seed: UInt64) throws -> [String] {
        let world = try ProgramWorld(seed)
        world.play()
        world.settle()
        world.judge()
        return world.complaints.withLock { $0 }
    }

    private init(_ seed: UInt64) throws {
        self.seed = seed
        bootedAt = Link.now()
        let board = try LiveBoard("--localities", "leftHandle,rightHandle,leftTrigger")
        port = board.port
        self.board = LockedValue(board)
    }

    /// Records an error unless a condition is true.
    func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
        guard !condition else { return }
        let what = "\(what()) (\(Link.now().microseconds))"
        complaints.withLock { $0.append(what) }
    }

    /// Records the expected maximum level at the left trigger within a time range.
    func expectAtTrigger(_ level: Int, within range: Range<HostTime>) {
        atTrigger.withLock { $0.append((level, range)) }
    }

    // MARK: Programs

    private func play() {
        var generator = SeededGenerator(seed: seed)
        start("witness") { Witness(self, $0).run() }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            switch Int.random(in: 0..<32, using: &generator) {
            case 0...15: start("player") { HoldingProgram(self, $0).run() }
            case 16...19: start("tool", playAFile)
            case 20: editFiles()
            case 21, 22: start("Buttplug") { ButtplugProgram(self, $0).run() }
            default: start("rude") { RudeProgram(self, $0).run() }
            }
            pause(.random(in: 0...60_000, using: &generator))
        }
        expect(waitLong(60) { running.withLock { $0 == 0 } }, "a program waits indefinitely")
    }

    /// Edits files in the studio. A world runs only one studio at a time.
    private func editFiles() {
        guard
            !hasStudio.withLock({ hasStudio in
                defer { hasStudio = true }
                return hasStudio
            })
        else { return }
        start("studio") { [self] generator in
            do { try StudioProgram(self, generator).run() } catch {
                expect(false, "the studio: \(error)")
            }
        }
    }

    /// Starts a program with its own random number generator. The program starts the server if none
    /// is running.
    private func start(_ name: String, _ work: @escaping @Sendable (SeededGenerator) -> Void) {
        running.withLock { $0 += 1 }
        let ownSeed =
            seed << 8
            + programs.withLock { programs in
                programs += 1
                return programs
            }
        let entry = VirtualProgram.Entry(run: { [self] _ in
            work(SeededGenerator(seed: ownSeed))
            running.withLock { $0 -= 1 }
            return 0
        })
        let program = VirtualProgram(
            entry,
            variables: [ServerProgram.variable: "/bridge", "XDG_CONFIG_HOME": folder.url.path])
        expect(program != nil, "\(name) does not run in virtual time")
    }

    /// Plays a file at the right handle with `bridge play`.
    private func playAFile(_ generator: SeededGenerator) {
        var generator = generator
        let taps = Int.random(in: 1...40, using: &generator)
        while isPlaying.exchange(true) { pause(10_000) }
        defer { isPlaying.withLock { $0 = false } }
        do {
            let file = try folder.write(
                "\(Link.now().microseconds).ahap", Samples.taps(taps, every: 20_000))
            let tool = try RunningTool(
                Tool.executable("bridge"),
                ["play", "--json", "--port", port, "--locality", "rightHandle", file],
                environment: [
                    ServerProgram.variable: "/bridge", "XDG_CONFIG_HOME": folder.url.path,
                ])
            let outcome = tool.outcome()
            expect(outcome.status == 0, "play: \(outcome)")
            expect(outcome.objects.last?["unfelt"] is NSNull, "play: \(outcome)")
            played.withLock { $0 += taps }
        } catch { expect(false, "play: \(error)") }
    }

    // MARK: The end

    /// Waits until the server has ended. The server ends because no program uses the board, or
    /// because a program has requested the release of the board.
    private func settle() {
        guard let path = try? RuntimeFolder().socket(ofPort: port) else { return }
        if seed % 8 > 0 {
            do { try BoardServerClient.release(port: port) } catch {
                expect(false, "the board is not released: \(error)")
            }
        }
        let hasEnded = waitLong(10) { !FileManager.default.fileExists(atPath: path) }
        expect(hasEnded, "the server continues although no program uses the board")
    }

    /// Waits until a condition is true. Checks the condition at long intervals, because the wait
    /// may be long.
    private func waitLong(_ seconds: Int, until condition: () -> Bool) -> Bool {
        for _ in 0..<seconds * 10 where !condition() { pause(100_000) }
        return condition()
    }

    private func judge() {
        let (transactions, isAtRest) = board.withLock { board in
            (board.transactions, (0..<3).allSatisfy(board.isAtRest))
        }
        expect(isAtRest, "the board is not at rest")
        func levels(_ actuator: Int) -> [(time: HostTime, value: Int)] {
            transactions.compactMap { transaction in
                guard transaction.actuator == actuator, let write = transaction.write,
                    write.register == 2
                else { return nil }
                return (bootedAt + Microseconds(transaction.start), write.value)
            }
        }
        for difference in plan.differences(from: levels(0)) { expect(false, difference) }
        let felt = levels(1).count { $0.value > 128 }
        let played = played.withLock { $0 }
        expect(felt == played, "\(felt) taps at the right handle instead of \(played)")
        for difference in wronglyAtTrigger(levels(2)) { expect(false, difference) }
        board.withLock { _ = $0.end() }
    }

    /// Returns a description of each time range in which the maximum level at the left trigger is
    /// wrong.
    private func wronglyAtTrigger(_ levels: [(time: HostTime, value: Int)]) -> [String] {
        atTrigger.withLock { $0 }.compactMap { level, range in
            let before = levels.last { $0.time < range.lowerBound }.map(\.value) ?? 0
            let within = levels.filter { range.contains($0.time) }.map(\.value)
            let greatest = max(before, within.max() ?? 0)
            guard abs(greatest - level) > 3 else { return nil }
            return "the level \(greatest) instead of \(level) at the left trigger within "
                + "\(range.lowerBound.microseconds)...\(range.upperBound.microseconds)"
        }
    }
}
