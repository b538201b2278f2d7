// StudioMessages: what the studio tells its pages.

import BridgeLive
import HapticBridge
import JSONText
import PatternEditing
import SamplePatterns

/// The messages as JSON text.
enum StudioMessages {
    static func text(_ value: JSONValue) -> String { JSONWriter.text(of: value, layout: .compact) }

    /// The greeting of a page.
    ///
    /// - Parameter open: the name of the document, which follows; nil if none is open.
    static func hello(_ folder: StudioFolder, open: String?, board: JSONValue) -> String {
        text([
            "type": "hello", "folder": .string(folder.path), "files": names(folder.files),
            "current": .string(open), "named": .array(NamedPattern.names.map(named)),
            "board": board,
        ])
    }

    private static func named(_ name: String) -> JSONValue {
        let meaning: String? =
            if case .feedback(let feedback)? = NamedPattern(name) { feedback.meaning } else { nil }
        return ["name": .string(name), "meaning": .string(meaning ?? "a sample")]
    }

    private static func names(_ names: [String]) -> JSONValue {
        .array(names.map { JSONValue.string($0) })
    }

    static func files(_ folder: StudioFolder) -> String {
        text(["type": "files", "files": names(folder.files)])
    }

    // MARK: The document

    /// The document as it is.
    ///
    /// - Parameter isWhole: whether the page needs its content.
    static func document(
        _ file: StudioFile, _ analysis: StudioAnalysis?, cause: String, isWhole: Bool = true
    ) -> String {
        var members = state(file, analysis)
        members.insert(.init("type", "document"), at: 0)
        members.append(.init("file", .string(file.name)))
        members.append(.init("isReadOnly", .bool(file.isReadOnly)))
        members.append(.init("cause", .string(cause)))
        let head = text(JSONValue(.object(JSONObject(members))))
        guard isWhole else { return head }
        return head.dropLast() + ",\"document\":" + (file.document.json ?? "null") + "}"
    }

    static func acknowledgement(_ file: StudioFile, _ analysis: StudioAnalysis?) -> String {
        text(
            JSONValue(
                .object(JSONObject([.init("type", "ack")] + state(file, analysis)))))
    }

    private static func state(
        _ file: StudioFile, _ analysis: StudioAnalysis?
    ) -> [JSONObject.Member] {
        let document = file.document
        let length = document.pattern?.length ?? 0
        return [
            .init("revision", .number(document.revision)),
            .init("isSaved", .bool(document.isSaved)),
            .init("canUndo", .bool(document.canUndo)), .init("canRedo", .bool(document.canRedo)),
            .init("duration", .number(length.seconds)),
            .init("diagnostics", analysis?.diagnosticsJSON ?? .array([])),
        ]
    }

    /// No document is open any more.
    static let closed = text(["type": "closed"])

    static func conflict(_ name: String, _ text: String) -> String {
        Self.text(["type": "conflict", "file": .string(name), "text": .string(text)])
    }

    /// A problem.
    ///
    /// - Parameter subject: what the request was about that has failed; nil if that was none.
    static func error(_ error: StudioError, about subject: StudioRequest.Subject? = nil) -> String {
        text([
            "type": "error", "message": .string(error.message), "advice": .string(error.advice),
            "about": .string(subject?.rawValue),
        ])
    }

    // MARK: The board

    static func position(_ place: Int64?) -> String {
        text([
            "type": "position", "time": .number((place ?? 0).seconds),
            "isPlaying": .bool(place != nil),
        ])
    }

    static func rest(_ error: (any Error)?, of player: StudioPlayer) -> String {
        let reason = player.absence ?? error.map(player.reason)
        return text([
            "type": "rest", "verified": .bool(reason == nil),
            "text": .string(
                "\(player.name): \(reason ?? "at rest; the board has confirmed it")"),
        ])
    }

    static func board(
        _ player: StudioPlayer, _ rendering: BoardRendering?, _ unfelt: Unfelt?,
        _ settings: HapticSettings
    ) -> JSONValue {
        let why =
            player.absence ?? unfelt?.text ?? (player.isMuted ? "the studio is muted" : nil)
        return [
            "type": "board", "path": .string(player.name), "name": .string(player.name),
            "isVirtual": .bool(player.isVirtual),
            "actuator": .string(StudioActuator.text(rendering)),
            "felt": .bool(why == nil), "why": .string(why),
            "settings": [
                "isOn": .bool(settings.isOn), "gain": .number(settings.gain),
                "muted": .bool(player.isMuted), "studioGain": .number(player.gain),
            ],
        ]
    }
}
