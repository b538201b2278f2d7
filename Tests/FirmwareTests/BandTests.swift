// Tests of actuators whose frequency follows the sharpness (SPEC 8.9): the checks of the
// configuration, and the transfers that set the frequency.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct BandTests {
    /// The periods at the ends of the band: 127 × 98.46 µs corresponds to 80.0 Hz, and 34 × 98.46
    /// µs to 298.7 Hz.
    private static let (longest, shortest): (UInt8, UInt8) = (127, 34)

    private func play(
        _ events: [StreamEvent], on bench: Bench = .connected(.wideBand), for time: BoardTime
    ) -> [Write] {
        let start = bench.play(EventStreamEncoder.encode(events))
        bench.run(to: start + time)
        // At the end, the board brings the chip to rest with a level 0 that is not an event of the
        // stream.
        let writes = bench.outputs(from: start)
        let end = BoardTime(events.last!.tick) * 250
        return writes.filter { $0.time <= end }
    }

    private static let endAfter100ms = EventStreamEncoder.encode([StreamEvent(.end, at: 400)])

    // MARK: Configurations

    @Test func theConfigurationOfTheHostIsAcceptedAndReported() throws {
        let bench = Bench.connected(.wideBand)
        #expect(bench.isAtRest())
        let status = bench.actuatorStatus()
        #expect(status.kind == .wideBand)
        #expect((status.frequencyMin, status.frequencyMax) == (800, 2_987))
        #expect(bench.frames(0x02).last.flatMap { $0.welcome }?.features.contains(.band) == true)
    }

    /// Checks that the device accepts every band that the host calculates.
    @Test func everyBandWithinTheRangeIsAccepted() {
        let bench = Bench.connected(.wideBand)
        let ends = [80, 80.4, 95, 125, 170, 233.3, 299, 300, 350, 380, 400, 403, 405.9, 406]
        for low in ends {
            for high in ends where high >= low {
                let configuration = ActuatorConfiguration(
                    band: low...high, rated: 2_000, overdrive: 3_000)
                let reject = bench.command(0x48, [0] + configuration.bytes)
                #expect(reject == nil, "\(low)-\(high) Hz")
                bench.run(for: 20_000)
            }
        }
    }

    private static let image = 22
    static let refused: [ConfigurationTests.Case] = [
        .init("a closed loop", BRIDGE_REJECT_RANGE, at: image + 8, limit: 0) {
            $0.image[0x1C] &= 0x7F
            $0.image[0x1D] = 0x88
        },
        .init("the bit of an ERM", BRIDGE_REJECT_RANGE, at: image + 5, limit: 0) {
            $0.image[0x1A] &= 0x7F
        },
        .init("below 80 Hz", BRIDGE_REJECT_LIMIT, at: 3, limit: 800) { $0.resonance = 799 },
        .init("above 406 Hz", BRIDGE_REJECT_LIMIT, at: 53, limit: 4_060) {
            $0.startVoltage = 4_061
        },
        .init("upside down", BRIDGE_REJECT_LIMIT, at: 53, limit: 800) { $0.startVoltage = 799 },
        .init("a period of another frequency", BRIDGE_REJECT_RANGE, at: 55, limit: 34) {
            $0.runningVoltage = 36
        },
        .init(
            "the longest period of another frequency", BRIDGE_REJECT_RANGE, at: image + 11,
            limit: 126
        ) { $0.image[0x20] = 124 },
        .init(
            "the rated voltage at the lowest frequency", BRIDGE_REJECT_LIMIT, at: image + 2,
            limit: 97
        ) { $0.image[0x17] = 98 },
    ]

    @Test(arguments: refused)
    func aConfigurationThatBreaksARuleIsRefusedWithItsPlace(_ refused: ConfigurationTests.Case) {
        let bench = Bench.connected(.wideBand)
        var configuration = ActuatorConfiguration.wideBand
        refused.change(&configuration)
        let reject = bench.command(0x48, [0] + configuration.bytes)
        #expect(reject.map { UInt32($0.code.rawValue) } == refused.code)
        #expect(reject.map { Int($0.offset) } == refused.offset)
        #expect(reject?.limit == refused.limit)
    }

    /// Checks that the device rejects swapped periods within the tolerance of both frequencies,
    /// because swapped periods would cause the interpolation to overflow.
    @Test func theShortestPeriodIsAtMostTheLongest() {
        let bench = Bench.connected(.wideBand)
        var configuration = ActuatorConfiguration(
            band: 200...200.5, rated: 2_000, overdrive: 3_000)
        let tooLong = configuration.image[0x20] + 1
        configuration.band?.shortestPeriod = tooLong
        #expect(bench.command(0x48, [0] + configuration.bytes)?.offset == 55)
    }

    /// Checks that no configuration that the device accepts exceeds the rated voltage or the range
    /// of the chip at any sharpness, even if the configuration is hostile.
    @Test func noAcceptedConfigurationExceedsTheRatedVoltageAtAnySharpness() {
        let bench = Bench.connected(.wideBand)
        var random = SeededGenerator(seed: 49)
        var accepted = 0
        for _ in 0..<600 {
            let low = Double.random(in: 70...420, using: &random)
            let high = Double.random(in: low...430, using: &random)
            var configuration = ActuatorConfiguration(
                band: max(low, 80)...max(min(high, 420), low + 0.1, 80.1),
                rated: .random(in: 100...5_300, using: &random), overdrive: 5_600)
            configuration.image[0x17] &+= .random(in: 0...2, using: &random)
            configuration.image[0x20] &+= .random(in: 0...1, using: &random)
            configuration.runningVoltage &+= .random(in: 0...1, using: &random)
            guard bench.command(0x48, [0] + configuration.bytes) == nil else { continue }
            bench.run(for: 20_000)
            accepted += 1
            for sharpness in [0, 1, 60, 128, 254, 255] as [UInt8] {
                var device = bench.actuator.configuration
                let period = Double(driver_tone(&device, sharpness))
                #expect((25...127).contains(period))
                let frequency = 1 / (period * 98.46e-6)
                let scale = Double(configuration.image[0x17]) - 0.5
                let voltage = scale * 21.32 * (1 - 800e-6 * frequency).squareRoot()
                // The period may differ by one step from the period of the checked frequency (SPEC
                // 8.9).
                #expect(voltage <= Double(configuration.rated) * 1.01, "\(configuration)")
            }
        }
        #expect(accepted > 100, "\(accepted)")
    }

    @Test func aChipWithoutTheRegisterIsRefused() {
        let bench = Bench(
            .tested {
                $0.configuration = ActuatorConfiguration.wideBand.bytes
                $0.chipID = UInt8(MODEL_ID_DRV2605)
            })
        bench.connect()
        bench.run(for: 60_000)
        #expect(bench.status().faults.contains(.wrongChip))
        #expect(bench.actuatorStatus().state == .fault)
        #expect(bench.levels.isEmpty || bench.levels.allSatisfy { $0.value == 0 })
    }

    // MARK: Transfers

    @Test func theFrequencyIsWrittenInATransferOfItsOwnBeforeTheLevel() {
        let writes = play(
            [
                StreamEvent(.levelSharpness(level: 200, sharpness: 0), at: 0),
                StreamEvent(.levelSharpness(level: 100, sharpness: 255), at: 400),
                StreamEvent(.level(50), at: 800), StreamEvent(.end, at: 1_200),
            ], for: 350_000)
        #expect(
            writes == [
                Write(-400, 0x20, Self.longest), Write(0, 2, 100),
                Write(99_600, 0x20, Self.shortest), Write(100_000, 2, 50),
                Write(200_000, 2, 25), Write(300_000, 2, 0),
            ])
    }

    @Test func theFrequencyOfATapIsWrittenAndThatOfTheLevelIsRestored() {
        let writes = play(
            [
                StreamEvent(.levelSharpness(level: 100, sharpness: 0), at: 0),
                StreamEvent(.tap(intensity: 200, sharpness: 255), at: 400),
                StreamEvent(.end, at: 800),
            ], for: 250_000)
        let end = 100_000 + BoardTime(ActuatorConfiguration.wideBand.tapSharp)
        #expect(
            writes == [
                Write(-400, 0x20, Self.longest), Write(0, 2, 50),
                Write(99_600, 0x20, Self.shortest), Write(100_000, 2, 100),
                Write(end - 400, 0x20, Self.longest), Write(end, 2, 50), Write(200_000, 2, 0),
            ])
    }

    @Test func aRampOfTheSharpnessMovesTheFrequencyAtAConstantLevel() {
        let writes = play(
            [
                StreamEvent(.levelSharpness(level: 200, sharpness: 0), at: 0),
                StreamEvent(.sharpnessRamp(to: 255, duration: 400), at: 0),
                StreamEvent(.end, at: 800),
            ], for: 250_000)
        let periods = writes.filter { $0.register == 0x20 }
        #expect(periods.first?.value == Self.longest && periods.last?.value == Self.shortest)
        #expect(periods.last?.time == 99_600)
        for (before, after) in zip(periods, periods.dropFirst()) {
            #expect(after.value < before.value && after.time - before.time == 5_000)
        }
        for period in periods {
            let sharpness = Double(period.time + 400) / 100_000 * 255
            let exact = 127 - 93 * sharpness.rounded() / 255
            #expect(abs(Double(period.value) - exact) <= 0.5, "\(period)")
        }
        #expect(writes.filter { $0.register == 2 }.allSatisfy { [100, 0].contains($0.value) })
    }

    @Test func rampsOfLevelAndSharpnessRunTogether() {
        let writes = play(
            [
                StreamEvent(.levelSharpness(level: 10, sharpness: 0), at: 0),
                StreamEvent(.levelRamp(to: 210, duration: 300), at: 0),
                StreamEvent(.sharpnessRamp(to: 255, duration: 400), at: 0),
                StreamEvent(.end, at: 800),
            ], for: 250_000)
        #expect(writes.last { $0.register == 2 && $0.value > 0 }?.value == 105)
        #expect(writes.contains(Write(75_000, 2, 105)))
        #expect(writes.last { $0.register == 0x20 } == Write(99_600, 0x20, Self.shortest))
    }

    @Test func aReviseBeginsWithItsSharpness() {
        let bench = Bench.connected(.wideBand)
        let start = bench.play(
            EventStreamEncoder.encode([
                StreamEvent(.levelSharpness(level: 200, sharpness: 0), at: 0),
                StreamEvent(.end, at: 2_000),
            ]))
        bench.run(to: start + 20_000)
        let command = bench.command(
            0x45,
            [0, 1] + bench.board.deviceClock(at: start + 50_000).bytes + [100, 255]
                + Self.endAfter100ms)
        #expect(command == nil)
        bench.run(to: start + 60_000)
        #expect(
            bench.outputs(from: start).suffix(2) == [
                Write(49_600, 0x20, Self.shortest), Write(50_000, 2, 50),
            ])
    }

    /// Checks that a REVISE between the write of a frequency and the write of its level withdraws
    /// the level.
    @Test func aReviseBetweenAFrequencyAndItsLevelRestoresTheFrequency() {
        let bench = Bench.connected(.wideBand)
        let start = bench.play(
            EventStreamEncoder.encode([
                StreamEvent(.levelSharpness(level: 200, sharpness: 0), at: 0),
                StreamEvent(.levelSharpness(level: 100, sharpness: 255), at: 200),
                StreamEvent(.end, at: 2_000),
            ]))
        bench.run(to: start + 20_000)
        #expect(
            bench.command(
                0x45,
                [0, 1] + bench.board.deviceClock(at: start + 49_800).bytes + [200, 0]
                    + Self.endAfter100ms) == nil)
        bench.run(to: start + 60_000)
        let writes = bench.outputs(from: start)
        #expect(writes.last { $0.register == 0x20 }?.value == Self.longest)
        #expect(writes.last { $0.register == 2 }?.value == 100)
    }

    @Test func stopEndsADriveBetweenAFrequencyAndItsLevel() {
        let bench = Bench.connected(.wideBand)
        let start = bench.play(
            EventStreamEncoder.encode([
                StreamEvent(.levelSharpness(level: 200, sharpness: 0), at: 0),
                StreamEvent(.end, at: 2_000),
            ]))
        bench.run(to: start - 800)  // STOP takes half a millisecond on the line
        bench.stop(id: 1)
        bench.runToRest()
        #expect(
            bench.outputs(from: start - 10_000).filter { $0.register == 2 && $0.value > 0 } == [])
        #expect(bench.drive == 0)
    }

    /// Checks that a frequency that the chip does not acknowledge causes no delay and is written
    /// again with the next level.
    @Test func aFrequencyThatIsNotAcknowledgedIsWrittenWithTheNextLevel() {
        let bench = Bench.connected(.wideBand)
        let start = bench.play(
            EventStreamEncoder.encode([
                StreamEvent(.levelSharpness(level: 200, sharpness: 0), at: 0),
                StreamEvent(.levelSharpness(level: 100, sharpness: 255), at: 200),
                StreamEvent(.level(120), at: 400), StreamEvent(.end, at: 800),
            ]))
        bench.run(to: start + 49_550)
        drv2605_model_inject_nack(bench.chip, 1)
        bench.run(to: start + 150_000)
        #expect(
            bench.outputs(from: start) == [
                Write(-400, 0x20, Self.longest), Write(0, 2, 100), Write(50_000, 2, 50),
                Write(99_600, 0x20, Self.shortest), Write(100_000, 2, 60),
            ])
        #expect(bench.status().faults.contains(.bus))
    }

    @Test func actuatorsWithDifferentBandsOfOneStreamHaveTheirOwnFrequencies() throws {
        let other = ActuatorConfiguration(band: 100...200, rated: 2_000, overdrive: 3_000)
        let board = InProcessBoard.configured { options in
            (options.actuators, options.streams) = (3, 1)
            options.configurations[0] = ActuatorConfiguration.wideBand.bytes
            options.configurations[1] = other.bytes
            options.configurations[2] = ActuatorConfiguration.openLRA.bytes
        }
        let link = IdealLink(board)
        #expect(link.connect())
        link.run(for: 60_000)
        link.begin(
            EventStreamEncoder.encode([
                StreamEvent(.levelSharpness(level: 200, sharpness: 255), at: 0),
                StreamEvent(.end, at: 400),
            ]), on: ActuatorMask(rawValue: 7))
        #expect(link.run(limit: 2_000_000) { $0.current?.outcome != nil })
        let writes = board.transactions.filter { $0.write?.register == 0x20 && $0.start > 60_000 }
        #expect(writes.map { $0.write?.value } == [34, 51])
        #expect(writes.map(\.actuator) == [0, 1])
        let levels = board.transactions.filter { $0.write.map { $0 == (2, 100) } == true }
        #expect(Set(levels.map(\.actuator)) == [0, 1, 2])
    }

    /// Checks that the bus traffic of an actuator without a band does not depend on the sharpness.
    @Test func anActuatorWithoutABandIgnoresSharpness() {
        let events: [StreamEvent] = [
            StreamEvent(.levelRamp(to: 200, duration: 400), at: 0),
            StreamEvent(.sharpnessRamp(to: 255, duration: 333), at: 30),
            StreamEvent(.levelSharpness(level: 90, sharpness: 40), at: 500),
            StreamEvent(.end, at: 800),
        ]
        let plain: [StreamEvent] = [
            StreamEvent(.levelRamp(to: 200, duration: 400), at: 0),
            StreamEvent(.level(90), at: 500), StreamEvent(.end, at: 800),
        ]
        for configuration in [ActuatorConfiguration.testLRA, .coinERM, .openLRA] {
            let (one, other) = (Bench.connected(configuration), Bench.connected(configuration))
            let writes = play(events, on: one, for: 250_000)
            #expect(writes == play(plain, on: other, for: 250_000))
            #expect(!writes.isEmpty && writes.allSatisfy { $0.register == 2 })
        }
    }
}

/// An acknowledged write to a register, with its time relative to tick 0.
private struct Write: Equatable {
    var time: BoardTime
    var register: UInt8
    var value: UInt8

    init(_ time: BoardTime, _ register: UInt8, _ value: UInt8) {
        (self.time, self.register, self.value) = (time, register, value)
    }
}

extension Bench {
    /// Returns the writes of levels and frequencies from 1 ms before `start` on.
    fileprivate func outputs(from start: BoardTime) -> [Write] {
        board.transactions.compactMap { transaction in
            guard let (register, value) = transaction.write, [0x02, 0x20].contains(register),
                transaction.start >= start - 1_000
            else { return nil }
            return Write(transaction.start - start, register, value)
        }
    }
}

extension Frame {
    fileprivate var welcome: Welcome? {
        if case .welcome(let value)? = message { value } else { nil }
    }
}
