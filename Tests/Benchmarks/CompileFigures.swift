// Figures of the compiler's speed.

import AHAP
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import TestSupport

/// Figures for the largest real file, which is compiled for the reference profile and for coin
/// actuators, and for generated patterns with two lengths.
struct CompileFigures {
    private static let largest = "samroman3__Wakeup_combined"
    private static let repetitions = 5
    private static let profiles = [
        ("", DeviceProfile.reference), ("_lra", DeviceProfile(of: .coinLRA)),
        ("_erm", DeviceProfile(of: .coinERM)),
    ]

    static func print() throws {
        if SharedFiles.ahap.contains(largest) {
            let bytes = try SharedFiles.bytes(largest, in: "ahap")
            for (name, profile) in profiles {
                let time = try fastest(on: elapsedTime) {
                    let pattern = try AHAPReader.read(bytes).pattern
                    return HapticCompiler.compile(pattern, profile: profile).bytes.count
                }
                printFigure("compile_ms_largest\(name)", time * 1e3, "ms", decimals: 1)
            }
        } else {
            note("skipped: the folder of real files is missing (HAPTIC_BRIDGE_SHARED)")
        }
        for (name, count) in [("1k", 1_000), ("1m", 1_000_000)] {
            let pattern = generated(count)
            let time = fastest(on: processorTime) { HapticCompiler.compile(pattern).bytes.count }
            printFigure(
                "compile_ns_per_event_\(name)", time * 1e9 / Double(count), "ns", decimals: 0)
        }
    }

    /// Returns a pattern that alternates between taps and continuous events, ten per second, under
    /// an intensity curve with as many points as there are events.
    private static func generated(_ count: Int) -> HapticPattern {
        var generator = SeededGenerator(seed: 7)
        var events: [HapticEvent] = []
        for index in 0..<count {
            let isTap = index.isMultiple(of: 2)
            let intensity = Double.random(in: 0.1...1, using: &generator)
            let sharpness = Double.random(in: 0...1, using: &generator)
            events.append(
                HapticEvent(
                    isTap ? .hapticTransient : .hapticContinuous,
                    time: Microseconds(index) * 80_000, duration: isTap ? nil : 60_000,
                    intensity: intensity, sharpness: sharpness))
        }
        var points: [HapticParameterCurve.Point] = []
        for index in 0..<count / 10 {
            let value = Double.random(in: 0.2...1, using: &generator)
            points.append(.init(time: Microseconds(index) * 800_000, value: value))
        }
        return HapticPattern(
            events: events,
            curves: [HapticParameterCurve(.hapticIntensityControl, time: 0, points: points)])
    }

    /// Returns the shortest duration of several repetitions of a task, in seconds of `clock`.
    private static func fastest(
        on clock: () -> Double, _ work: () throws -> Int
    ) rethrows -> Double {
        var shortest = Double.infinity
        for _ in 0..<repetitions {
            let start = clock()
            let result = try work()
            let time = clock() - start
            precondition(result > 0)
            shortest = min(shortest, time)
        }
        return shortest
    }

    /// The elapsed time for which a caller must wait, in seconds.
    private static func elapsedTime() -> Double { seconds(of: CLOCK_MONOTONIC) }

    /// The processor time of this process, in seconds. Unlike a task of a few milliseconds, a task
    /// of several seconds shares the processor with other programs. Only the processor times of
    /// these two tasks are therefore comparable.
    private static func processorTime() -> Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
