// Tests of an engine on a virtual board with several actuators.

import BridgeLink
import DRV2605
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct EnginesOnSeveralActuatorsTests {
    /// Returns the nonzero levels written to an actuator's chip.
    private func levels(of actuator: Int, on board: LiveBoard) -> [Int] {
        board.transactions.filter { $0.actuator == actuator && $0.write?.register == 2 }
            .compactMap(\.write?.value).filter { $0 > 0 }
    }

    /// Plays a level and then halves it.
    ///
    /// - Parameter actuators: the actuators that must reach the halved level.
    private func play(
        on board: LiveBoard, at locality: HapticLocality = .default, by actuators: [Int]
    ) async throws {
        let engine = HapticEngine(device: .port(board.port), locality: locality)
        try await engine.start()
        let player = try engine.makePlayer(with: .held(0.5))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(wait { board.hasDriven })
        try player.sendParameters(
            [
                CHHapticDynamicParameter(
                    parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
            ], atTime: CHHapticTimeImmediate)
        #expect(wait { actuators.allSatisfy { levels(of: $0, on: board).last == 64 } })
        try await engine.stop()
        #expect(board.isAtRest)
    }

    @Test func everythingIsFeltOnAllOfThem() async throws {
        let board = try LiveBoard("--actuators", "2")
        try await play(on: board, by: [0, 1])
        #expect(levels(of: 0, on: board) == [128, 64])
        #expect(levels(of: 1, on: board) == [128, 64])
    }

    @Test func oneThatIsNotConfiguredIsLeftOut() async throws {
        let board = try LiveBoard("--unconfigured", "--actuators", "2")
        let link = try HapticBoard(openPort(board.port))
        try link.configure(1, .coinLRA)
        link.close()
        try await play(on: board, by: [1])
        #expect(levels(of: 0, on: board) == [])
        #expect(levels(of: 1, on: board) == [128, 64])
    }

    @Test(arguments: [
        (HapticLocality.default, [0, 1]), (.handles, [0, 1]), (.triggers, [2, 3]),
        (.rightTrigger, [3]), (.leftHandle, [0]), (.all, [0, 1, 2, 3]),
    ])
    func anEngineIsFeltAtItsLocality(_ locality: HapticLocality, actuators: [Int]) async throws {
        let board = try LiveBoard("--actuators", "4")
        try board.placeActuators()
        try await play(on: board, at: locality, by: actuators)
        for actuator in 0..<4 {
            let expected = actuators.contains(actuator) ? [128, 64] : []
            #expect(levels(of: actuator, on: board) == expected, "actuator \(actuator)")
        }
    }

    @Test func aBoardSaysWhereItCanBeFelt() throws {
        let board = try LiveBoard("--actuators", "4")
        let device = HapticDevice.port(board.port)
        #expect(device.supportedLocalities == [.default, .all])
        try board.placeActuators()
        #expect(device.supportedLocalities == Set(HapticLocality.known))
    }

    @Test func whereThereIsNoBoardNothingIsFeltAnywhere() {
        let device = HapticDevice.port("/nowhere")
        #expect(device.supportedLocalities.isEmpty)
        #expect(
            device.createEngine(withLocality: .leftHandle) != nil,
            "only the start of the engine reports that there is no board")
        #expect(device.createEngine(withLocality: .init(rawValue: "left foot")) == nil)
    }

    @Test func actuatorsThatAreStillSetUpAreWaitedFor() throws {
        let board = try LiveBoard("--actuators", "4", "--reset-on-open")
        for _ in 0..<3 {
            let host = try HapticBoard(openPort(board.port))
            defer { host.close() }
            #expect(try host.actuatorMask(at: .all).indices == [0, 1, 2, 3])
        }
    }

    @Test func aLocalityThatNobodyHasIsAnErrorThatNamesThoseThatAre() async throws {
        let board = try LiveBoard("--actuators", "2")
        let engine = try #require(
            GCDeviceHaptics.port(board.port).createEngine(withLocality: .leftTrigger))
        let error = await #expect(throws: HapticError.self) { try await engine.start() }
        #expect(error?.code == .notSupported)
        #expect(
            "\(error!)".contains(
                "no actuator of the board is at leftTrigger; the board has default, all"))
    }

    @Test func aChipThatGoesWhileAllPlayIsLeftOutAndTheOthersPlayOn() {
        let rig = LiveRig(actuators: 3)
        let player = rig.player(.held(0.5))
        rig.perform(.start(at: 0), of: player)
        rig.run(for: 300_000)
        rig.board.chip(1, .power(false))
        rig.run(for: 1_000_000)
        #expect(rig.live.actuators == [.init(index: 0), .init(index: 2)])
        #expect(rig.live.failure == nil)
        let drives = [0, 1, 2].map { actuator in
            rig.board.driveChanges.last { $0.actuator == actuator }?.drive
        }
        #expect(drives == [128, 0, 128])
        #expect(rig.faults.contains(.bus))
    }

    /// Checks the rule of GameController that the handles are the default locality.
    @Test func localitiesAreSetsOfActuators() throws {
        func status(_ actuator: UInt8, _ locality: Locality) throws -> ActuatorStatus {
            var payload = [UInt8](repeating: 0, count: 31)
            (payload[0], payload[5]) = (actuator, locality.rawValue)
            let message = try Message(type: MessageType(rawValue: 0xA3), payload: payload)
            guard case .actuator(let status) = message else {
                throw CocoaError(.featureUnsupported)
            }
            return status
        }
        let handles = try [
            status(0, .leftHandle), status(1, .rightHandle), status(2, .default),
        ]
        func numbers(_ locality: HapticLocality) -> [UInt8] {
            locality.actuators(of: handles).map(\.actuator)
        }
        #expect(numbers(.default) == [0, 1])
        #expect(numbers(.all) == [0, 1, 2])
        #expect(numbers(.rightHandle) == [1])
        #expect(numbers(.triggers) == [])
        #expect(numbers(HapticLocality(rawValue: "foot")) == [])
        #expect(
            HapticLocality.supported(by: handles)
                == [.default, .all, .handles, .leftHandle, .rightHandle])
        #expect(try HapticLocality.default.actuators(of: [status(0, .leftTrigger)]).count == 1)
    }
}
