// StudioService+Requests: performs the requests from pages.

import Foundation
import HapticBridge
import HapticPatterns
import LocalServers
import SerialPorts

extension StudioService {
    func perform(_ request: StudioRequest, from page: PageConnection) throws {
        switch request {
        case .open(let name, let mayLose): try openFile(name, mayLose: mayLose)
        case .edit(let revision, let edits, let isLive):
            try edit(revision, edits, isLive: isLive, page)
        case .undo: try change(.undo) { $0.undo() }
        case .redo: try change(.redo) { $0.redo() }
        case .save: try save()
        case .saveAs(let name): try saveAs(name)
        case .new(let name, let mayLose): try make(name, mayLose: mayLose)
        case .rename(let name, let other): try rename(name, to: other)
        case .delete(let name): try delete(name)
        case .reload(let name): try reload(name)
        case .keep(let name): try keep(name)
        default: try performPlaying(request)
        }
    }

    private func performPlaying(_ request: StudioRequest) throws {
        unfeltEdit = nil
        switch request {
        case .play(let playback):
            try withBoard { try player.play(playback, of: try pattern()) }
        case .scrub(let time): try scrub(Microseconds(seconds: time))
        case .hold(let time):
            try withBoard { try player.hold(Microseconds(seconds: time), of: try pattern()) }
        case .stop:
            player.rest()
            sendPosition()
        case .measure: try measure()
        case .gain(let gain): try withBoard { try player.setGain(gain, of: open?.document.pattern) }
        case .mute(let isMuted):
            if isMuted { player.measurement?.cancel() }
            player.isMuted = isMuted
            send(boardMessage())
        default: try performComparison(request)
        }
    }

    /// Performs an operation on the board. If the operation fails, starts to reconnect and throws
    /// `StudioError`.
    func withBoard(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as HapticError {
            player.start()
            throw StudioError(
                "\(player.name): \(error.reason)",
                advice: (error.advice + ["the studio reconnects immediately"]).joined(
                    separator: "; "))
        }
    }

    /// Returns the open document. Throws `StudioError` if no document is open.
    func opened() throws(StudioError) -> StudioFile {
        guard let open else {
            throw StudioError("no file is open", advice: "open a file from the library")
        }
        return open
    }

    /// Returns the pattern of the open document. Throws `StudioError` if no document is open or the
    /// document cannot be read.
    func pattern() throws(StudioError) -> HapticPattern {
        let file = try opened()
        guard let pattern = file.document.pattern else {
            throw StudioError(
                "\(file.name) cannot be read as AHAP", advice: "see the list of errors")
        }
        return pattern
    }

    // MARK: Edits

    private func edit(
        _ revision: Int, _ edits: [StudioEdit], isLive: Bool, _ page: PageConnection
    ) throws {
        var file = try opened()
        guard file.accepts(editOn: revision, of: page.id) else {
            return page.send(StudioMessages.document(file, analysis, cause: .edit))
        }
        let before = file.document.revision
        // The document has only one reference here, so its bytes can be changed in place.
        open = nil
        defer { open = file }
        do {
            try file.document.edit(edits, isLive: isLive)
        } catch {
            page.send(StudioMessages.error(error, about: .edit).text)
            return page.send(StudioMessages.document(file, analysis, cause: .edit))
        }
        file.record(author: page.id, since: before)
        forgetMeasurement()
        page.send(StudioMessages.acknowledgement(file, analysis).text)
        if !isLive {
            let text = StudioMessages.document(file, analysis, cause: .edit)
            for other in pages where other != page { other.send(text) }
        }
        unfeltEdit = isLive
        needsAnalysis = true
    }

    /// Undoes or redoes one step.
    private func change(
        _ cause: StudioMessages.Cause, _ body: (inout StudioDocument) -> Bool
    ) throws {
        var file = try opened()
        guard body(&file.document) else { return }
        file.author = nil
        open = file
        show(cause)
        try feel(isLive: false)
    }

    /// Plays the result of the last change to the document.
    func feel(isLive: Bool) throws {
        guard let document = open?.document, let pattern = document.pattern else { return }
        try withBoard {
            try player.play(edited: pattern, changed: document.lastChange, isLive: isLive)
        }
    }

    /// Sends the document to all pages, and analyzes the document.
    func show(_ cause: StudioMessages.Cause) {
        guard let open else { return }
        analysis = nil
        forgetMeasurement()
        send(StudioMessages.document(open, analysis, cause: cause))
        analyse()
    }

    func analyse() {
        guard let open else { return }
        analyst.analyse(open.document, number: open.number)
    }

    private func scrub(_ time: Microseconds) throws {
        _ = try pattern()
        guard let design = analysis?.design else { return }
        let level = design.level(at: time)
        try withBoard {
            try player.scrub(
                .init(intensity: level.intensity, sharpness: level.sharpness),
                tap: design.tap(passedAt: time))
        }
    }
}
