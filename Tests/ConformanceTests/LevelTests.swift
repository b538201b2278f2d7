// Tests of MUTE and GAIN, which change levels outside the stream (SPEC 4.3, 4.4, 6).

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite struct LevelTests {
    /// The stream contains level 200 for 300 ms and then level 120 for 25 s.
    private static let twoLevels: [UInt8] =
        [0xB0, 200, 0xB1, 0xB0, 0x09, 120, 0xF1, 0xA0, 0x8D, 0x06, 0x00]

    @Test(arguments: ConformanceBoard.available)
    func whatIsMutedIsSilentAtOnceAndTheStreamContinues(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(Self.twoLevels)
            try rig.run(to: start &+ 100_000)
            let before = try rig.link.status().clock
            try rig.link.mute(true)
            let muted = try rig.link.status()
            #expect(muted.state.contains(.muted))
            try rig.run(to: start &+ 400_000)
            let during = try rig.link.stream()
            #expect(during.state == .playing)
            #expect(during.position == 1_200)
            let ending = try rig.link.status().clock
            try rig.link.mute(false)
            let after = try rig.link.status()
            #expect(!after.state.contains(.muted))
            if board.hasTrace {
                let levels = try rig.levels(since: before)
                let silence = BoardTime(muted.clock &- before)
                let sound = BoardTime(ending &- before)...BoardTime(after.clock &- before)
                #expect(levels.first?.value == 0)
                #expect(levels.first?.time ?? .max <= silence)
                #expect(levels.last?.value == 120)
                #expect(sound.contains(levels.last?.time ?? 0))
                #expect(levels.dropLast().allSatisfy { $0.value == 0 })
            }
            try rig.link.stop()
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func gainScalesWhatIsThereAndWhatComes(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(Self.twoLevels)
            try rig.run(to: start &+ 100_000)
            let before = try rig.link.status().clock
            let gain = Gain(actuators: ActuatorMask(index: 0), gain: 128)
            #expect(try rig.link.carryOut(.gain(gain)) == nil)
            let after = try rig.link.status()
            #expect(after.gain == 128)
            try rig.run(to: start &+ 350_000)
            if board.hasTrace {
                let levels = try rig.levels(since: before)
                try #require(levels.map(\.value) == [100, 60])
                #expect(levels[0].time <= BoardTime(after.clock &- before))
                let due = BoardTime(Int32(bitPattern: start &+ 300_000 &- before))
                #expect((0...board.lateness).contains(levels[1].time - due))
            }
            try rig.link.stop()
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func gainOfAnActuatorThatDoesNotExistIsRefused(_ board: ConformanceBoard) async throws {
        try await board.test { rig throws in
            let gain = Gain(actuators: ActuatorMask(index: 15), gain: 128)
            #expect(try rig.link.carryOut(.gain(gain))?.code == .noActuator)
            #expect(try rig.link.status().gain == 255)
        }
    }
}
