// Patterns as Core Haptics has them: made from events, files and dictionaries.

import AHAP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A pattern: what a player plays.
public typealias HapticPattern = AHAP.HapticPattern
/// Core Haptics' spelling.
public typealias CHHapticPattern = AHAP.HapticPattern

extension AHAP.HapticPattern {
    /// Makes a pattern of events and abrupt parameter changes, in any order.
    ///
    /// - Throws: ``HapticError`` with the code of the first part that is not possible:
    ///   `invalidEventTime`, `invalidEventDuration`, `badEventEntry`, `invalidTime` or
    ///   `badParameterEntry`.
    public init(events: [HapticEvent], parameters: [HapticDynamicParameter]) throws {
        self.init(events: events, parameters: parameters, curves: [])
        try check()
    }

    /// Makes a pattern of events and parameter curves, in any order.
    ///
    /// - Throws: as ``init(events:parameters:)``.
    public init(events: [HapticEvent], parameterCurves: [HapticParameterCurve]) throws {
        self.init(events: events, parameters: [], curves: parameterCurves)
        try check()
    }

    /// Makes a pattern of what an AHAP file would hold.
    ///
    /// - Parameter patternDict: keys are those of ``Key``, or the same as strings; values are
    ///   numbers, strings, event types, parameter ids, arrays and dictionaries. Unknown keys are
    ///   ignored, and values out of range are taken as the nearest inside, as in a file.
    /// - Throws: ``HapticError``: `invalidPatternDictionary`, or the code of the part that is wrong.
    public init(dictionary patternDict: [Key: Any]) throws {
        let json = try JSONValue(dictionary: patternDict)
        self = try Self.reading { () throws(AHAPError) in
            try AHAPReader.read(json).pattern
        }
    }

    /// Reads an AHAP file. The sounds that it names are looked for beside it.
    ///
    /// Control points count their times from their curve, as Core Haptics reads them: a file means
    /// what ``init(dictionary:)`` makes of the same content. A file of up to 16 MB is read, with
    /// 100,000 events, parameters and curves, and 100,000 control points.
    ///
    /// - Throws: ``HapticError``: `fileNotFound`, `resourceNotAvailable` for a sound, or the
    ///   reader's refusal with its line and column.
    public init(contentsOf ahapURL: URL) throws {
        guard FileManager.default.fileExists(atPath: ahapURL.path) else {
            throw HapticError(.fileNotFound, "\(ahapURL.path): no such file")
        }
        try Self.checkSize(of: ahapURL)
        let data: Data
        do {
            data = try Data(contentsOf: ahapURL)
        } catch {
            throw HapticError(.invalidPatternData, "\(ahapURL.path): not readable: \(error)")
        }
        let pattern = try Self(data: data)
        let folder = ahapURL.deletingLastPathComponent()
        self.init(
            events: try pattern.events.map { try $0.findingSound(in: folder) },
            parameters: pattern.parameters, curves: pattern.curves)
    }

    /// Refuses what the reader would refuse for its size, before it takes memory.
    private static func checkSize(of ahapURL: URL) throws {
        let most = AHAPReader.Options().mostBytes
        let attributes = try? FileManager.default.attributesOfItem(atPath: ahapURL.path)
        guard let size = attributes?[.size] as? Int, size > most else { return }
        throw HapticError(
            .invalidPatternData,
            "\(ahapURL.path): \(size) bytes are more than the \(most) that are read")
    }

    /// Reads the bytes of an AHAP file.
    ///
    /// - Throws: ``HapticError`` with the reader's refusal.
    init(data: Data) throws {
        guard !data.isEmpty else { throw HapticError(.invalidPatternData, "no data at all") }
        self = try Self.reading { () throws(AHAPError) in
            try AHAPReader.read(Array(data)).pattern
        }
    }

    /// The latest end of any event, parameter or curve, in seconds; see ``length``.
    public var duration: TimeInterval { length.seconds }

    private static func reading(_ read: () throws(AHAPError) -> Self) throws -> Self {
        do {
            return try read()
        } catch {
            throw HapticError(error)
        }
    }
}

/// Checking.
extension AHAP.HapticPattern {
    /// The latest time of anything in a pattern: one day. It keeps sums of times from overflowing.
    static let latest: Microseconds = 86_400_000_000

    private func check() throws {
        for event in events { try event.check() }
        for parameter in parameters { try parameter.check() }
        for curve in curves { try curve.check() }
    }

    /// Checks a time of a parameter, a curve or a player.
    static func check(_ time: Microseconds, of what: String) throws {
        guard (0...latest).contains(time) else {
            throw HapticError(
                .invalidTime, "\(what): \(time.seconds) s is not a time from 0 to one day")
        }
    }
}

extension AHAP.HapticEvent {
    fileprivate func check() throws {
        let legal = 0...AHAP.HapticPattern.latest
        guard legal.contains(time) else {
            throw HapticError(
                .invalidEventTime,
                "\(type.rawValue): \(relativeTime) s is not a time from 0 to one day")
        }
        guard legal.contains(length ?? 0) else {
            throw HapticError(
                .invalidEventDuration,
                "\(type.rawValue): \(duration) s is not a duration from 0 to one day")
        }
        for id in EventParameterID.allCases where id.applies(to: type) && !self[id].isFinite {
            throw HapticError(.badEventEntry, "\(id.rawValue) of an event is not a number")
        }
    }

    /// The event with the whole path of its sound, which must be there.
    fileprivate func findingSound(in folder: URL) throws -> AHAP.HapticEvent {
        guard let path = audio?.waveformPath, !path.hasPrefix("/") else { return self }
        var event = self
        event.audio?.waveformPath = folder.appendingPathComponent(path).path
        try event.checkSound { _ in true }
        return event
    }

    /// Checks that the sound of an audio-custom event is there.
    ///
    /// - Parameter isRegistered: whether the engine knows a number of a sound.
    func checkSound(isRegistered: (CHHapticAudioResourceID) -> Bool) throws {
        guard type == .audioCustom else { return }
        if let id = audio?.resourceID {
            guard isRegistered(id) else {
                throw HapticError(
                    .invalidAudioResource, "sound \(id) is not registered with this engine")
            }
        } else if let path = audio?.waveformPath {
            guard FileManager.default.fileExists(atPath: path) else {
                throw HapticError(.resourceNotAvailable, "\(path): no such sound file")
            }
        } else {
            throw HapticError(
                .invalidAudioResource, "AudioCustom without \(HapticPattern.Key.eventWaveformPath)")
        }
    }
}

extension AHAP.HapticDynamicParameter {
    /// Checks time and value, for a pattern or for a player.
    func check() throws {
        try AHAP.HapticPattern.check(time, of: id.rawValue)
        guard value.isFinite else {
            throw HapticError(.badParameterEntry, "\(id.rawValue) is not a number")
        }
    }
}

extension AHAP.HapticParameterCurve {
    /// Checks times and values, for a pattern or for a player.
    func check() throws {
        try AHAP.HapticPattern.check(time, of: id.rawValue)
        guard !points.isEmpty else {
            throw HapticError(.badParameterEntry, "a curve of \(id.rawValue) without points")
        }
        for point in points {
            try AHAP.HapticPattern.check(point.time, of: id.rawValue)
            guard point.value.isFinite else {
                throw HapticError(.badParameterEntry, "\(id.rawValue) is not a number")
            }
        }
    }
}
