// Patterns, as Core Haptics declares them: made from events, files and dictionaries.

import AHAP
import Foundation
import HapticBoards
import HapticPatterns
import JSONText

/// A pattern that players play.
///
/// The source of a pattern, whether events, a dictionary or a file, is converted to the form of a
/// file and read by the same reader, so the same content always gives the same pattern.
open class CHHapticPattern: NSObject, @unchecked Sendable {
    /// The content as it was given, for ``exportDictionary()``.
    let document: AHAPDocument
    /// The meaning of the pattern in the value types of the module `AHAP`, which the compiler
    /// accepts.
    public let value: HapticPattern
    /// The AHAP file, beside which the pattern's sounds are; nil if the pattern was made otherwise.
    let file: URL?

    /// Makes a pattern from events and abrupt parameter changes, in any order.
    ///
    /// - Throws: ``HapticError`` with the code of the first invalid part: `invalidEventType`,
    ///   `invalidParameterType`, `invalidEventTime`, `invalidEventDuration`, `invalidTime` or
    ///   `badParameterEntry`.
    public init(events: [CHHapticEvent], parameters: [CHHapticDynamicParameter]) throws {
        let entries =
            try events.map { event throws(HapticError) in try event.entry() }
            + parameters.map { parameter throws(HapticError) in try parameter.entry() }
        let reading = try AHAPReader.reading(entries)
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Makes a pattern from events and parameter curves, in any order.
    ///
    /// - Throws: the errors of ``init(events:parameters:)``.
    public init(events: [CHHapticEvent], parameterCurves: [CHHapticParameterCurve]) throws {
        let entries =
            try events.map { event throws(HapticError) in try event.entry() }
            + parameterCurves.map { curve throws(HapticError) in try curve.entry() }
        let reading = try AHAPReader.reading(entries)
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Makes a pattern from a dictionary with the content of an AHAP file.
    ///
    /// - Parameter patternDict: the dictionary. Its keys are those of ``Key``, or the same as
    ///   strings; its values are numbers, strings, event types, parameter ids, arrays and
    ///   dictionaries. As in a file, unknown keys and parameters are ignored, and values outside a
    ///   range are moved to its nearest end.
    /// - Throws: ``HapticError``: `invalidPatternDictionary`, or the code of the invalid part.
    public init(dictionary patternDict: [Key: Any]) throws {
        let reading = try AHAPReader.reading(JSONValue(dictionary: patternDict))
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Makes a pattern from the dictionary that Foundation's `JSONSerialization` reads from an AHAP
    /// file, whose keys are strings.
    ///
    /// - Throws: the errors of the initialiser for a dictionary with keys of type ``Key``.
    @_disfavoredOverload
    public init(dictionary patternDict: [String: Any]) throws {
        let reading = try AHAPReader.reading(JSONValue(dictionary: patternDict))
        (document, value, file) = (reading.document, reading.pattern, nil)
    }

    /// Reads an AHAP file. The sounds that it names are read when a player is made.
    ///
    /// Control points count their times from the start of their curve, as in Core Haptics. The
    /// limits are 16 MB, 100,000 events, parameters and curves, and 100,000 control points.
    ///
    /// - Throws: ``HapticError``: `fileNotFound`, or the reader's refusal with its line and column.
    public init(contentsOf ahapURL: URL) throws {
        let reading = try AHAPReader.reading(contentsOf: ahapURL)
        (document, value, file) = (reading.document, reading.pattern, ahapURL)
    }

    /// Makes a pattern from a file or a document that the AHAP reader has read, with control points
    /// that count their times from the start of their curve.
    ///
    /// - Parameters:
    ///   - reading: what the AHAP reader has read.
    ///   - file: the file, beside which the pattern's sounds are; nil if there is none.
    public init(_ reading: AHAPReader.Result, file: URL? = nil) {
        (document, value, self.file) = (reading.document, reading.pattern, file)
    }

    /// The latest end of any event, parameter or curve, in seconds. An event without an end counts
    /// with its start.
    public var duration: TimeInterval { value.length.seconds }
}

extension AHAPReader {
    /// Reads entries that do not come from a file.
    ///
    /// - Throws: ``HapticError`` with the reader's refusal, which names the entry.
    static func reading(_ entries: [AHAPDocument.Entry]) throws(HapticError) -> Result {
        do throws(AHAPError) {
            return try read(AHAPDocument(pattern: entries))
        } catch {
            let refused = entries.firstIndex { (try? read(AHAPDocument(pattern: [$0]))) == nil }
            let place = refused.map { "\(AHAPDocument.name(of: $0, in: entries)): " } ?? ""
            throw HapticError(error, "\(place)\(error.message); \(error.advice)")
        }
    }

    /// Reads the content of a file that was made by code.
    static func reading(_ json: JSONValue) throws(HapticError) -> Result {
        try reading { () throws(AHAPError) in try read(json) }
    }

    /// Reads the bytes of an AHAP file.
    static func reading(_ data: Data) throws(HapticError) -> Result {
        guard !data.isEmpty else { throw HapticError(.invalidPatternData, "the data is empty") }
        return try reading { () throws(AHAPError) in try read(Array(data)) }
    }

    /// Reads an AHAP file.
    static func reading(contentsOf ahapURL: URL) throws(HapticError) -> Result {
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

    /// Refuses a file whose size the reader would refuse, before its content takes memory.
    private static func checkSize(of ahapURL: URL) throws(HapticError) {
        let most = Options().mostBytes
        let attributes = try? FileManager.default.attributesOfItem(atPath: ahapURL.path)
        guard let size = attributes?[.size] as? Int, size > most else { return }
        throw HapticError(
            .invalidPatternData,
            "\(ahapURL.path): \(size) bytes exceed the limit of \(most) that are read")
    }

    private static func reading(_ read: () throws(AHAPError) -> Result) throws(HapticError)
        -> Result
    {
        do {
            return try read()
        } catch {
            throw HapticError(error, error.description)
        }
    }
}

extension AHAPDocument {
    /// Returns the kind of an entry and its index among the entries of that kind, as an app knows
    /// it.
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
    /// Checks that an audio-custom event names a sound. The sound's file need not exist.
    ///
    /// - Parameter isRegistered: returns whether the engine has a sound with a given number.
    func checkSound(isRegistered: (CHHapticAudioResourceID) -> Bool) throws(HapticError) {
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

extension AHAPError: DescribedError {}

extension HapticError {
    /// Makes an error from a refusal of the AHAP reader, with a message that includes the location.
    package init(_ error: AHAPError, _ message: String) {
        self.init(Code(rawValue: error.code.rawValue) ?? .unknownError, message)
    }
}
