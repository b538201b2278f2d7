// Patterns, as Core Haptics declares them: made from events, files and dictionaries.

import AHAP
import Foundation

/// A pattern: what a player plays.
///
/// What it is made from, events, a dictionary or a file, is brought into the form of a file and read
/// by the same reader: the same content is the same pattern.
open class CHHapticPattern: NSObject, @unchecked Sendable {
    /// What was said, for ``exportDictionary()``.
    let document: AHAPDocument
    /// What it means, on AHAP's value types: what the compiler takes.
    public let value: HapticPattern

    /// Makes a pattern of events and abrupt parameter changes, in any order.
    ///
    /// - Throws: ``HapticError`` with the code of the first part that is not possible:
    ///   `invalidEventType`, `invalidParameterType`, `invalidEventTime`, `invalidEventDuration`,
    ///   `invalidTime` or `badParameterEntry`.
    public init(events: [CHHapticEvent], parameters: [CHHapticDynamicParameter]) throws {
        let entries = try events.map { try $0.entry() } + parameters.map { try $0.entry() }
        let reading = try AHAPReader.reading(entries)
        (document, value) = (reading.document, reading.pattern)
    }

    /// Makes a pattern of events and parameter curves, in any order.
    ///
    /// - Throws: as ``init(events:parameters:)``.
    public init(events: [CHHapticEvent], parameterCurves: [CHHapticParameterCurve]) throws {
        let entries = try events.map { try $0.entry() } + parameterCurves.map { try $0.entry() }
        let reading = try AHAPReader.reading(entries)
        (document, value) = (reading.document, reading.pattern)
    }

    /// Makes a pattern of what an AHAP file would hold.
    ///
    /// - Parameter patternDict: keys are those of ``Key``, or the same as strings; values are
    ///   numbers, strings, event types, parameter ids, arrays and dictionaries. Unknown keys and
    ///   parameters are ignored, and values out of range are taken as the nearest inside, as in a file.
    /// - Throws: ``HapticError``: `invalidPatternDictionary`, or the code of the part that is wrong.
    public init(dictionary patternDict: [Key: Any]) throws {
        let reading = try AHAPReader.reading(JSONValue(dictionary: patternDict))
        (document, value) = (reading.document, reading.pattern)
    }

    /// Makes a pattern of what Foundation's `JSONSerialization` reads from an AHAP file, whose keys
    /// are strings.
    ///
    /// - Throws: as for a dictionary of keys.
    @_disfavoredOverload
    public init(dictionary patternDict: [String: Any]) throws {
        let reading = try AHAPReader.reading(JSONValue(dictionary: patternDict))
        (document, value) = (reading.document, reading.pattern)
    }

    /// Reads an AHAP file. The sounds that it names need not be there, as nothing plays them.
    ///
    /// Control points count their times from their curve, as Core Haptics reads them. A file of up to
    /// 16 MB is read, with 100,000 events, parameters and curves, and 100,000 control points.
    ///
    /// - Throws: ``HapticError``: `fileNotFound`, or the reader's refusal with its line and column.
    public init(contentsOf ahapURL: URL) throws {
        let reading = try AHAPReader.reading(contentsOf: ahapURL)
        (document, value) = (reading.document, reading.pattern)
    }

    /// Makes a pattern of a file or a document that AHAP's reader has read, with control points that
    /// count from their curve.
    public init(_ reading: AHAPReader.Result) {
        (document, value) = (reading.document, reading.pattern)
    }

    /// The latest end of any event, parameter or curve, in seconds. An event without an end counts
    /// with its start.
    public var duration: TimeInterval { value.length.seconds }
}

extension AHAPReader {
    /// Reads entries that come from no file.
    ///
    /// - Throws: ``HapticError`` with the reader's refusal, which names the entry.
    static func reading(_ entries: [AHAPDocument.Entry]) throws -> Result {
        do throws(AHAPError) {
            return try read(AHAPDocument(pattern: entries))
        } catch {
            let refused = entries.firstIndex { (try? read(AHAPDocument(pattern: [$0]))) == nil }
            let place = refused.map { "\(AHAPDocument.name(of: $0, in: entries)): " } ?? ""
            throw HapticError(error, "\(place)\(error.message); \(error.advice)")
        }
    }

    /// Reads the content of a file that was made in code.
    static func reading(_ json: JSONValue) throws -> Result {
        try reading { () throws(AHAPError) in try read(json) }
    }

    /// Reads the bytes of an AHAP file.
    static func reading(_ data: Data) throws -> Result {
        guard !data.isEmpty else { throw HapticError(.invalidPatternData, "no data at all") }
        return try reading { () throws(AHAPError) in try read(Array(data)) }
    }

    /// Reads an AHAP file.
    static func reading(contentsOf ahapURL: URL) throws -> Result {
        guard FileManager.default.fileExists(atPath: ahapURL.path) else {
            throw HapticError(.fileNotFound, "\(ahapURL.path): no such file")
        }
        try checkSize(of: ahapURL)
        let data: Data
        do {
            data = try Data(contentsOf: ahapURL)
        } catch {
            throw HapticError(.invalidPatternData, "\(ahapURL.path): not readable: \(error)")
        }
        return try reading(data)
    }

    /// Refuses what the reader would refuse for its size, before it takes memory.
    private static func checkSize(of ahapURL: URL) throws {
        let most = Options().mostBytes
        let attributes = try? FileManager.default.attributesOfItem(atPath: ahapURL.path)
        guard let size = attributes?[.size] as? Int, size > most else { return }
        throw HapticError(
            .invalidPatternData,
            "\(ahapURL.path): \(size) bytes are more than the \(most) that are read")
    }

    private static func reading(_ read: () throws(AHAPError) -> Result) throws -> Result {
        do {
            return try read()
        } catch {
            throw HapticError(error, error.description)
        }
    }
}

extension AHAPDocument {
    /// An entry's name and number among those of its kind, as an app knows it.
    fileprivate static func name(of index: Int, in entries: [Entry]) -> String {
        let kind = entries[index].kind
        return "\(kind)[\(entries[..<index].count { $0.kind == kind })]"
    }
}

extension AHAPDocument.Entry {
    fileprivate var kind: String {
        switch self {
        case .event: "events"
        case .parameter: "parameters"
        case .parameterCurve: "parameterCurves"
        }
    }
}

extension HapticEvent {
    /// Checks that the sound of an audio-custom event is named. Its file need not be there.
    ///
    /// - Parameter isRegistered: whether the engine knows a number of a sound.
    func checkSound(isRegistered: (CHHapticAudioResourceID) -> Bool) throws {
        guard type == .audioCustom else { return }
        if let id = audio?.resourceID {
            guard isRegistered(id) else {
                throw HapticError(
                    .invalidAudioResource, "sound \(id) is not registered with this engine")
            }
        } else if audio?.waveformPath == nil {
            throw HapticError(
                .invalidAudioResource,
                "AudioCustom without \(CHHapticPattern.Key.eventWaveformPath)")
        }
    }
}
