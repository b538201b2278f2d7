// Tests that a board never plays a wrong level if the line flips bits, loses bytes and inserts
// bytes (SPEC 2, 4.4).

import BridgeLink
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct NoiseTests {
    @Test(arguments: ConformanceBoard.inVirtualTime, 0..<4)
    func everyEventIsExactOrTheSessionSaysWhichIsNot(
        _ board: ConformanceBoard, seed: Int
    ) async throws {
        try await Self.playOverNoise(board, seed: seed, count: 300)
    }

    @Test(arguments: ConformanceBoard.available.filter(\.isRealTime))
    func everyEventIsExactInRealTimeToo(_ board: ConformanceBoard) async throws {
        try await Self.playOverNoise(board, seed: 9, count: 60)
    }

    private static func playOverNoise(
        _ board: ConformanceBoard, seed: Int, count: Int
    ) async throws {
        let events = StreamSample.jumps(count, ticks: 60)
        let bytes = EventStreamEncoder.encode(events)
        try await board.test { rig in
            let noise = Noise(seed: UInt64(seed))
            rig.link.damageToBoard = noise.damage
            rig.link.damageToHost = noise.damage
            let before = try rig.link.status().damagedFrames
            let played = try PlayedPattern(
                bytes, events, start: .after(200_000), limit: 20_000_000, on: rig.link)
            rig.link.damageToBoard = nil
            rig.link.damageToHost = nil
            #expect(noise.count > 3)
            let damaged = Int(try rig.link.status().damagedFrames &- before)
            #expect(damaged + rig.link.session.statistics.damagedFrames > 0)
            if played.progress.isClean {
                try rig.expectFelt(played)
            } else {
                let progress = played.progress
                let trouble = progress.underruns + progress.lateEvents + progress.skippedTaps
                #expect(trouble > 0)
            }
            guard board.hasTrace else { return }
            // True if the levels are in order and no level is played twice, regardless of their
            // lateness.
            let levels = played.levels.map(\.value).filter { $0 != 0 }
            let wanted = events.levels
            #expect(played.progress.isClean ? levels == wanted : levels.isPart(of: wanted))
        }
    }

    @Test(arguments: ConformanceBoard.pairs([0, 1], inRealTime: [0]))
    func noiseAloneNeverDrives(_ board: ConformanceBoard, seed: Int) async throws {
        try await board.test { rig in
            var random = SeededGenerator(seed: UInt64(seed))
            // In the first session, no stream is open; the board has not begun the second session.
            for session in [rig.link.session.sessionID, 0xDEAD_BEEF] {
                for _ in 0..<60 {
                    let bytes = Self.almostFrames(session: session, using: &random)
                    rig.board.send(bytes, at: rig.board.now)
                    rig.board.advance(to: rig.board.now + 5_000)
                    rig.link.listen(to: rig.board.drainSent())
                }
            }
            rig.link.run(for: 50_000)
            rig.board.send([0], at: rig.board.now)
            try rig.connect()
            #expect(try rig.link.status().state.isDisjoint(with: [.awake, .driving]))
            #expect(try rig.link.actuator().state == .atRest)
            #expect(rig.board.driveChanges.isEmpty)
            #expect(rig.board.transactions.levels.allSatisfy { $0.value == 0 })
        }
    }

    /// Returns random noise, and the frames that a host would send for playback, each with one
    /// wrong bit.
    private static func almostFrames(
        session: UInt32, using random: inout SeededGenerator
    ) -> [UInt8] {
        let commands: [Command] = [
            .open(Open(stream: 0, actuators: ActuatorMask(index: 0))),
            .events(Events(stream: 0, bytes: [0xB0, 255])),
            .start(Start(stream: 0, isRelative: true, time: 0)),
        ]
        return commands.flatMap { command -> [UInt8] in
            let frame = Frame(.command(command), sequence: random.bytes(1)[0] % 4)
            var bytes = FrameEncoder(session: session).encode(frame)
            let index = Int.random(in: 0..<bytes.count - 1, using: &random)
            bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            return random.bytes(Int.random(in: 0...20, using: &random)) + [0] + bytes
        }
    }
}

/// A line that, on average once in 211 bytes, flips a bit or loses, repeats or inserts a byte.
private final class Noise {
    private(set) var count = 0
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func damage(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            guard random.chance(oneIn: 211) else { return [byte] }
            count += 1
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return []
            case 1: return [byte, byte]
            case 2: return [byte] + random.bytes(1)
            default: return [byte ^ 1 << UInt8.random(in: 0...7, using: &random)]
            }
        }
    }
}

extension [UInt8] {
    /// Returns true if `whole` contains the given elements in the given order.
    fileprivate func isPart(of whole: [UInt8]) -> Bool {
        var rest = whole[...]
        return allSatisfy { element in
            guard let index = rest.firstIndex(of: element) else { return false }
            rest = rest[(index + 1)...]
            return true
        }
    }
}
