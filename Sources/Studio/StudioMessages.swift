// StudioMessages: creates the messages from the studio to its pages.

import HapticBridge
import HapticPatterns
import LocalServers
import ToolSupport

/// Functions that create messages to pages.
enum StudioMessages {
    /// Returns the first message to a page.
    ///
    /// - Parameter open: the name of the document; nil if no document is open.
    static func hello(_ folder: StudioFolder, open: String?) -> Hello {
        Hello(
            folder: folder.path, files: folder.files, current: open,
            named: NamedPattern.names.map(named))
    }

    private static func named(_ name: String) -> Named {
        let meaning: String? =
            if case .feedback(let feedback)? = NamedPattern(name) { feedback.meaning } else { nil }
        return Named(name: name, meaning: meaning ?? "a sample")
    }

    // MARK: The document

    /// Returns the document as JSON text.
    ///
    /// - Parameter isWhole: true if the message includes the content of the document.
    static func document(
        _ file: StudioFile, _ analysis: StudioAnalysis?, cause: Cause, isWhole: Bool = true
    ) -> String {
        let state = acknowledgement(file, analysis)
        let head = Document(
            file: file.name, isReadOnly: file.isReadOnly, cause: cause, revision: state.revision,
            isSaved: state.isSaved, canUndo: state.canUndo, canRedo: state.canRedo,
            duration: state.duration, diagnostics: state.diagnostics
        ).text
        guard isWhole else { return head }
        return head.dropLast() + ",\"document\":" + (file.document.json ?? "null") + "}"
    }

    static func acknowledgement(
        _ file: StudioFile, _ analysis: StudioAnalysis?
    ) -> Acknowledgement {
        let document = file.document
        return Acknowledgement(
            revision: document.revision, isSaved: document.isSaved, canUndo: document.canUndo,
            canRedo: document.canRedo, duration: (document.pattern?.length ?? 0).seconds,
            diagnostics: analysis?.diagnostics ?? [])
    }

    /// Returns a message that shows an error on a page.
    ///
    /// - Parameter subject: the subject of the failed request; nil if the error was not caused by a
    ///   request.
    static func error(
        _ error: StudioError, about subject: StudioRequest.Subject? = nil
    ) -> Problem {
        Problem(message: error.message, advice: error.advice, about: subject)
    }

    // MARK: The board

    static func position(_ time: Int64?) -> Position {
        Position(time: (time ?? 0).seconds, isPlaying: time != nil)
    }

    static func rest(_ error: (any Error)?, of player: StudioPlayer) -> Rest {
        let reason = (player.absence ?? error.map { HapticError(connecting: $0) })?.explanation
        return Rest(
            verified: reason == nil,
            text: "\(player.name): \(reason ?? "at rest; the board has confirmed it")")
    }

    /// Returns the reason why a board on which patterns are felt cannot measure; nil if it can.
    private static func obstacle(
        to player: StudioPlayer, _ rendering: BoardRendering?
    ) -> String? {
        guard rendering != nil else { return "no board is connected yet" }
        guard let error = player.measuringObstacle else { return nil }
        let obstacle = ToolError(error, port: nil)
        return ([obstacle.message] + obstacle.advice.prefix(1)).joined(separator: ": ")
    }

    static func board(
        _ player: StudioPlayer, _ rendering: BoardRendering?, _ unfelt: Unfelt?,
        _ settings: HapticSettings
    ) -> Board {
        let why =
            player.absence?.explanation ?? unfelt?.text
            ?? (player.isMuted ? "the studio is muted" : nil)
        return Board(
            path: player.name, name: player.name, isVirtual: player.isVirtual,
            actuator: StudioActuator.text(rendering), felt: why == nil, why: why,
            unmeasured: why ?? obstacle(to: player, rendering),
            settings: Settings(
                isOn: settings.isOn, gain: settings.gain, muted: player.isMuted,
                studioGain: player.gain))
    }
}

extension StudioError {
    /// Creates the error for a request that the tool refuses.
    init(_ error: ToolError) {
        self.init(
            error.message,
            advice: error.advice.isEmpty ? nil : error.advice.joined(separator: "; "))
    }
}

extension Double {
    /// The number rounded to four decimals.
    var toFourDecimals: Double { (self * 1e4).rounded() / 1e4 }
}
