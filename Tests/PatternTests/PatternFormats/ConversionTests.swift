// Tests of conversions of samples and real files to other formats and back.

import Foundation
import HapticPatterns
import PatternFormats
import TestSupport
import Testing

/// The real files of other formats.
enum RealFormats {
    static let folder = SharedFiles.folder.appendingPathComponent("formats")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { !$0.hasSuffix(".tsv") }.sorted()

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// The files that are rejected, each with the reason.
    static let refused: [String: String] = [
        "metasdk__invalid_empty_amplitude_envelope.haptic": "two breakpoints, but has 0",
        "metasdk__invalid_fields_v1.haptic": "\"signals\" is missing here",
        "metasdk__invalid_freq_bp_outside_amp_env.haptic": "frequency continues after the last",
        "metasdk__invalid_single_amplitude_breakpoint.haptic": "two breakpoints, but has 1",
        "metasdk__invalid_zero_duration.haptic": "the file lasts 0 s",
        "metasdk__validation_v1_amplitude.haptic": "\"amplitude\" is 1.5",
        "metasdk__validation_v1_emphasis_amplitude.haptic": "is below its breakpoint's amplitude",
        "metasdk__validation_v1_emphasis_amplitude_range.haptic": "\"amplitude\" is -0.2",
        "metasdk__validation_v1_emphasis_frequency_range.haptic": "\"frequency\" is 1.1",
        "metasdk__validation_v1_sequence.haptic": "earlier than the previous breakpoint",
        "nicevibrations__invalid.haptic": "two breakpoints, but has 1",
        "nicevibrations__truncate_before_1_bp.haptic": "two breakpoints, but has 1",
    ]
}

@Suite struct ConversionTests {
    @Test(arguments: samples.indices) func returnsFromAHAP(index: Int) throws {
        let read = try readText(samples[index].text)
        let ahap = try Conversion(read, to: AHAPFormat()).bytes
        let again = try PatternFormats.read(ahap).pattern
        #expect(PatternDifference(read.pattern, again).greatest < 0.01)
    }

    @Test(arguments: samples.indices) func keepsASampleInAFormatThatCanSayIt(index: Int) throws {
        let read = try readText(samples[index].text)
        for format in [LofeltCase.haptic, .hjif] {
            let losses = try Conversion(read, to: format.format).losses
            #expect(losses.allSatisfy { $0.jnd.map { $0 < 1 } ?? true }, "\(losses)")
        }
    }

    @Test func reportsAMissingSoundAndAnEnd() throws {
        let pattern = HapticPattern(events: [
            HapticEvent(.audioCustom, time: 0), HapticEvent(.hapticTransient, time: 0),
        ])
        let losses = try Conversion(ReadPattern(pattern), to: LofeltCase.haptic.format).losses
        #expect(losses.map(\.verdict) == [.notPlayed] && losses.map(\.event) == [0])
    }

    @Test func refusesEventsThatAHAPWouldHaveToDivideTooOften() throws {
        let day = HapticEvent(
            .hapticContinuous, time: 0, duration: FormatLimits.latest, intensity: 1)
        let few = HapticPattern(events: Array(repeating: day, count: 10))
        #expect(try Conversion(ReadPattern(few), to: AHAPFormat()).losses.isEmpty)
        let many = HapticPattern(events: Array(repeating: day, count: 10_000))
        #expect {
            try Conversion(ReadPattern(many), to: AHAPFormat())
        } throws: {
            ($0 as? FormatError)?.rule == .tooLarge && ($0 as? FormatError)?.location == nil
        }
    }

    /// The location of an error in the converted file has no meaning for the user.
    @Test func refusesAWrittenFileThatIsTooLargeWithoutALocation() throws {
        let taps = (0..<90_000).map {
            HapticEvent(.hapticTransient, time: $0 * 1_000, intensity: 0.3)
        }
        #expect {
            try Conversion(ReadPattern(HapticPattern(events: taps)), to: AHAPFormat())
        } throws: {
            let error = $0 as? FormatError
            return error?.location == nil
                && error?.message.hasPrefix("the format cannot contain this pattern: ") == true
        }
    }

    @Test func reportsATapThatIsWeakerThanTheEnvelope() throws {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, duration: 1_000_000, intensity: 1),
            HapticEvent(.hapticTransient, time: 500_000, intensity: 0.2),
        ])
        let losses = try Conversion(ReadPattern(pattern), to: LofeltCase.haptic.format).losses
        #expect(losses.contains { $0.event == 1 && $0.jnd ?? 0 > 1 })
    }
}

/// The formats that can represent a complete pattern for one actuator.
enum LofeltCase: String, CaseIterable {
    case haptic
    case hjif

    var format: any WritablePatternFormat {
        PatternFormats.writable.first { $0.name == rawValue } ?? AHAPFormat()
    }
}

@Suite(
    .enabled(
        if: !RealFormats.names.isEmpty,
        "the folder of real files is missing: set HAPTIC_BRIDGE_SHARED"))
struct RealFormatTests {
    @Test(arguments: RealFormats.names) func convertsToAHAPAndBack(name: String) throws {
        let bytes = try RealFormats.bytes(name)
        let read: ReadPattern
        do throws(FormatError) {
            read = try PatternFormats.read(bytes)
        } catch {
            let reason = RealFormats.refused[name] ?? "no reason"
            #expect(error.message.contains(reason) && error.location != nil, "\(error)")
            return
        }
        #expect(RealFormats.refused[name] == nil)
        // Some real files contain constructs that Meta's strict validation rejects. The reader
        // reports these constructs as losses.
        let isBeyond = name == "nicevibrations__1second.haptic"
        #expect(!isBeyond || read.losses.contains { $0.message.contains("frequency continues") })
        let ahap = try Conversion(read, to: AHAPFormat())
        let again = try PatternFormats.read(ahap.bytes).pattern
        #expect(PatternDifference(read.pattern, again).greatest < 0.01)
        #expect(again.curves.allSatisfy { $0.points.count <= 16 })
        let source = PatternFormats.format(of: bytes).name
        for format in PatternFormats.writable where format.name == source {
            let back = try format.read(
                format.write(again, law: format.intensityLaw ?? .linear),
                law: format.intensityLaw ?? .linear
            ).pattern
            #expect(PatternDifference(read.pattern, back).greatest < 1)
        }
    }
}

@Suite(
    .enabled(
        if: !SharedFiles.ahap.isEmpty,
        "the folder of real files is missing: set HAPTIC_BRIDGE_SHARED"))
struct RoundTripTests {
    /// All values differ by at most 1 JND, except for the values that the format cannot represent.
    /// The losses name the events with these values.
    @Test(arguments: SharedFiles.ahap, LofeltCase.allCases)
    func staysWithinOneJNDWhereTheFormatCanSayIt(name: String, target: LofeltCase) throws {
        guard let pattern = try SharedFiles.pattern(name) else { return }
        let losses = try Conversion(ReadPattern(pattern), to: target.format).losses
        let signal = HapticSignal(pattern)
        for loss in losses {
            guard let jnd = loss.jnd, jnd >= 1 else { continue }
            // A tap in a .haptic file is never weaker than its envelope.
            let tap = signal.taps.first { $0.time == loss.time }
            #expect(target == .haptic && tap != nil, "\(loss)")
        }
    }
}
