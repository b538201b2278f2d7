// Tests of the search that improves the drive of measured actuators.

import BridgeLink
import CDRV2605Model
import DRV2605
import HapticPatterns
import TestSupport
import Testing
import VirtualBoard

@testable import HapticCompiler
@testable import Prediction

@Suite struct DriveRefinementTests: FeltEvents {
    private static let coins = [ActuatorConfiguration.coinLRA, .coinERM]

    /// Levels, taps over a level, taps close together, a ramp, and a level that ends suddenly.
    private var patterns: [HapticPattern] {
        let ramp = HapticParameterCurve(
            .hapticIntensityControl, time: 0,
            points: [.init(time: 0, value: 0.3), .init(time: 600_000, value: 1)])
        return [
            HapticPattern(events: [hum(0..<300, 0.5), tap(150, 1), hum(400..<700, 0.25)]),
            HapticPattern(events: (0..<12).map { tap($0 * 90, 0.3 + Double($0 % 4) * 0.2) }),
            HapticPattern(events: [hum(0..<600, 0.8)], parameters: [], curves: [ramp]),
            HapticPattern(events: [tap(0, 1, 0), tap(40, 0.4, 1), hum(60..<90, 1), tap(300, 0.1)]),
        ]
    }

    private func profile(_ coin: ActuatorConfiguration) -> DeviceProfile {
        var profile = DeviceProfile(of: coin)
        profile.isMeasured = true
        return profile
    }

    /// Returns the levels that are felt while a board plays a stream, one for each millisecond.
    private func felt(
        _ compiled: CompiledPattern, on coin: ActuatorConfiguration
    ) throws -> [Double] {
        let felt = try FeltAcceleration(of: compiled, on: coin)
        return felt.samples.map { $0 / felt.rated }
    }

    @Test(arguments: coins)
    func aMeasuredActuatorIsFeltMoreAsDesigned(_ coin: ActuatorConfiguration) throws {
        for pattern in patterns {
            let design = FeltDesign(pattern)
            let plan = HapticCompiler.compile(pattern, profile: profile(coin))
            let refined = HapticCompiler.compile(pattern, measured: profile(coin))
            let errors = try [plan, refined].map {
                FeltError(of: try felt($0, on: coin), against: design).mean
            }
            #expect(errors[1] <= errors[0], "\(errors)")
            #expect(errors[1] < (coin.kind == .erm ? 0.2 : 0.03), "\(errors)")
        }
    }

    @Test(arguments: coins)
    func theStreamIsComplete(_ coin: ActuatorConfiguration) throws {
        for pattern in patterns {
            let refined = HapticCompiler.compile(pattern, measured: profile(coin))
            #expect(try EventStreamDecoder.decode(refined.bytes) == refined.events)
            #expect(refined.events.map(\.tick) == refined.events.map(\.tick).sorted())
            let ends = refined.events.indices.filter { refined.events[$0].content == .end }
            #expect(ends == [refined.events.count - 1])
            #expect(refined.renderedDuration == StreamTime.time(of: refined.events.last!.tick))
            let lengths = TapLengths(profile(coin))
            for event in refined.events {
                guard case .tap(_, let sharpness) = event.content else { continue }
                let end = StreamTime.time(of: event.tick) + lengths[sharpness]
                #expect(end <= refined.renderedDuration)
            }
            let again = HapticCompiler.compile(pattern, measured: profile(coin))
            #expect(again.bytes == refined.bytes)
        }
    }

    @Test(arguments: coins)
    func theSearchPredictsWhatTheBoardPlays(_ coin: ActuatorConfiguration) throws {
        for pattern in patterns {
            let compiled = HapticCompiler.compile(pattern, measured: profile(coin))
            var actuator = PlayedActuator(
                FeltAcceleration.model(of: try #require(profile(coin).plant)),
                TapLengths(profile(coin)))
            let board = try felt(compiled, on: coin).map(FeltDesign.steps)
            // The device writes the levels of a ramp at its own intervals.
            let tolerance = pattern.curves.isEmpty ? 0.1 : 0.3
            let predicted = [0] + actuator.play(compiled.events, until: board.count - 1)
            for (time, pair) in zip(predicted, board).enumerated() {
                #expect(abs(pair.0 - pair.1) < tolerance, "at \(time) ms")
            }
        }
    }

    @Test(arguments: coins)
    func noTapIsMovedFar(_ coin: ActuatorConfiguration) throws {
        let pattern = HapticPattern(
            events: (0..<20).map { tap($0 * 200, 0.3 + 0.035 * Double($0)) })
        func onsets(_ compiled: CompiledPattern) -> [Microseconds] {
            let times = compiled.events.filter { event in
                if case .tap(let intensity, _) = event.content { intensity > 1 } else { false }
            }.map { StreamTime.time(of: $0.tick) }
            return times.indices.filter { $0 == 0 || times[$0] - times[$0 - 1] > 100_000 }
                .map { times[$0] }
        }
        let plan = onsets(HapticCompiler.compile(pattern, profile: profile(coin)))
        let refined = onsets(HapticCompiler.compile(pattern, measured: profile(coin)))
        #expect(plan.count == 20 && refined.count == 20)
        let moved = zip(refined, plan).map { $0 - $1 }
        #expect(moved.allSatisfy { (-5_000...32_000).contains($0) }, "\(moved)")
    }

    /// If more events than the search can examine are equally far from the design, the first of them
    /// are improved.
    @Test func equalTapsAreImproved() {
        let taps = (0..<300).map { tap($0 * 200, $0 % 2 == 0 ? 0.7 : 0.5) }
        let profile = profile(.coinLRA)
        let plan = HapticCompiler.compile(HapticPattern(events: taps), profile: profile)
        let refined = HapticCompiler.compile(HapticPattern(events: taps), measured: profile)
        #expect(plan.events != refined.events)
    }

    @Test func aLongRampIsNotVaried() {
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 0,
            points: [.init(time: 0, value: 0.3), .init(time: 30_000_000, value: 1)])
        let pattern = HapticPattern(events: [hum(0..<30_000, 0.8)], parameters: [], curves: [curve])
        func longRamps(_ compiled: CompiledPattern) -> [StreamEvent.Content] {
            compiled.events.filter { $0.duration > StreamVariants.longestRamp }.map(\.content)
        }
        let profile = profile(.coinERM)
        let planned = longRamps(HapticCompiler.compile(pattern, profile: profile))
        let refined = longRamps(HapticCompiler.compile(pattern, measured: profile))
        #expect(!refined.isEmpty && refined == planned)
    }

    @Test func otherPatternsAndProfilesKeepTheirPlan() throws {
        let (pattern, profile) = (patterns[0], profile(.coinERM))
        func isKept(
            _ pattern: HapticPattern, _ profile: DeviceProfile,
            _ options: CompilerOptions = CompilerOptions()
        ) -> Bool {
            HapticCompiler.compile(pattern, measured: profile, options: options).bytes
                == HapticCompiler.compile(pattern, profile: profile, options: options).bytes
        }
        #expect(!isKept(pattern, profile))
        #expect(isKept(pattern, DeviceProfile(of: .coinERM)), "the properties are not measured")
        var wide = DeviceProfile.wideBand
        wide.isMeasured = true
        #expect(isKept(pattern, wide), "the drive of a band is not planned")
        var options = CompilerOptions()
        options.alignment = .drive
        #expect(isKept(pattern, profile, options), "the drive begins at the times of the events")
        let long = HapticPattern(events: [tap(0, 0.5), tap(600_001, 0.5)])
        #expect(isKept(long, profile), "the pattern is longer than 10 minutes")
        let limit = HapticPattern(events: [tap(0, 0.5), tap(590_000, 0.5)])
        #expect(!isKept(limit, profile))
    }

    @Test(arguments: coins)
    func patternsWithLittleToFeelAreCompiled(_ coin: ActuatorConfiguration) throws {
        for events in [[], [tap(0, 0)], [tap(0, 0.01)], [hum(0..<1, 1)], [tap(0, 1), tap(0, 1)]] {
            let refined = HapticCompiler.compile(
                HapticPattern(events: events), measured: profile(coin))
            #expect(try EventStreamDecoder.decode(refined.bytes) == refined.events)
        }
    }
}
