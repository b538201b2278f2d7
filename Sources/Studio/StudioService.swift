// StudioService: coordinates the pages, the file and the board of the studio.

import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import LocalServers
import SerialPorts
import ToolSupport

/// The open document, and the pages that show it. Only one thread uses this class.
package final class StudioService {
    let folder: StudioFolder
    let player: StudioPlayer
    let inbox: StudioInbox
    let output: OutputOptions
    let analyst: StudioAnalyst
    var pages: [PageConnection] = []
    /// The open document; nil if no document is open.
    var open: StudioFile?
    /// The latest analysis of the document.
    var analysis: StudioAnalysis?
    var comparison = StudioComparison()
    /// The measurement of the current version of the document; nil if it has not been measured.
    var measured: StudioMessages.Measured?
    private var watch: FileWatch
    /// The time at which the file of the document became empty or unreadable; nil if the file is
    /// readable, or if its state was already handled.
    var doubtfulSince: HostTime?
    /// True if the latest edit that has not been played is part of a drag; nil if all edits have
    /// been played. All edits that the inbox contains at the same time are played together.
    var unfeltEdit: Bool?
    var needsAnalysis = false
    private var positionSentAt: HostTime = 0
    /// The last reported reason why there is no board.
    private var reportedAbsence: HapticError?
    /// The last printed address for a browser.
    package var offeredURL: String?
    private var settings: PlaySettings
    private var unfelt: Unfelt?

    /// The time for which another program is assumed to be writing an empty or unreadable file, in
    /// microseconds.
    static let doubt: Microseconds = 1_000_000
    /// The maximum interval between two rounds of the main loop, in microseconds.
    private static let interval: Microseconds = 20_000
    /// The maximum interval between two rounds while no page is connected, in microseconds.
    private static let idleInterval: Microseconds = 200_000
    /// The minimum interval between two updates of the playhead, in microseconds.
    private static let positionInterval: Microseconds = 33_000

    /// Creates the service for a folder and a player. Throws `ToolError` if the user's settings are
    /// invalid.
    package init(
        _ folder: StudioFolder, _ player: StudioPlayer, _ inbox: StudioInbox,
        _ output: OutputOptions
    ) throws {
        (self.folder, self.player, self.inbox, self.output) = (folder, player, inbox, output)
        analyst = StudioAnalyst(inbox)
        watch = try FileWatch(folder.path)
        settings = try PlaySettings(isMuted: false, gain: nil)
        unfelt = settings.present
    }

    /// Serves pages until a signal arrives.
    package func run(opening file: String?) throws {
        if let file { open = try StudioFile(file, in: folder) }
        player.start()
        analyse()
        while !Interruption.isRequested {
            let interval = pages.isEmpty ? Self.idleInterval : Self.interval
            let changed = watch.changes(within: interval, orFor: inbox.eventSignal)
            for event in inbox.drain() { handle(event) }
            followEdits()
            if !changed.isEmpty { handleChanges(of: changed) }
            tick(at: Link.now())
        }
    }

    /// Brings all actuators to rest, and stores unsaved text.
    package func end() {
        player.end()
        // All connections have been closed at this point.
        pages = []
        do { _ = try keepUnsaved() } catch { output.remark(error) }
    }

    // MARK: Events

    private func handle(_ event: StudioEvent) {
        switch event {
        case .opened(let page):
            pages.append(page)
            sendState(to: page)
        case .closed(let page):
            pages.removeAll { $0 == page }
            if pages.isEmpty { player.rest() }
        case .stranger(let url): offer(url)
        case .message(let page, let text): handle(text, from: page)
        case .started(let number, let error):
            guard player.handle(started: number, error) else { return }
            if error == nil {
                setRendering(player.rendering)
                player.remarkIdleActuators(output)
            }
            reportAbsence()
            send(boardMessage())
        case .lost:
            player.handleLoss()
            reportAbsence()
            if let absence = player.absence { sendProblem(absence) }
            setRendering(nil)
            sendPosition()
        case .faults(let error):
            output.remark(ToolError(error, at: player.name))
            sendProblem(error)
        case .rested(let error):
            player.handleRest()
            send(StudioMessages.rest(error, of: player))
        case .analysed(let analysis): record(analysis)
        case .measured(let outcome): record(outcome)
        }
    }

    /// Shows an error from the board on all pages.
    private func sendProblem(_ error: HapticError) {
        let advice = error.advice.isEmpty ? nil : error.advice.joined(separator: "; ")
        send(StudioMessages.error(StudioError("\(player.name): \(error.reason)", advice: advice)))
    }

    /// Sets the rendering whose actuators the predictions describe; nil if there is no board.
    private func setRendering(_ rendering: BoardRendering?) {
        let before = analyst.rendering?.configurations
        analyst.rendering = rendering
        send(boardMessage())
        if before != rendering?.configurations { analyse() }
    }

    /// Prints the reason why no haptics can be felt, unless the same reason has been printed
    /// before.
    private func reportAbsence() {
        guard player.absence != reportedAbsence else { return }
        reportedAbsence = player.absence
        guard let absence = player.absence else { return }
        let advice = absence.advice + ["the studio retries until the board can play"]
        output.remark(
            (["\(player.name): \(absence.reason)"] + advice.map { "  \($0)" })
                .joined(separator: "\n"))
    }

    /// Prints an address for another browser, once for each address. After an address has been
    /// used, it is replaced by a new address.
    private func offer(_ url: String) {
        guard url != offeredURL else { return }
        offeredURL = url
        output.remark(
            "a browser without access requested the page; this address gives access to one browser:"
        )
        try? output.address(url, of: folder.path)
    }

    private func handle(_ text: String, from page: PageConnection) {
        var subject: StudioRequest.Subject?
        do {
            let request = try StudioRequest(text)
            subject = request.subject
            try perform(request, from: page)
        } catch let error as StudioError {
            page.send(StudioMessages.error(error, about: subject).text)
        } catch let error as ToolError {
            page.send(StudioMessages.error(StudioError(error), about: subject).text)
        } catch {
            page.send(StudioMessages.error(StudioError("\(error)"), about: subject).text)
        }
    }

    /// Plays and analyzes the latest edit. Earlier edits are not played, because edits may arrive
    /// faster than the board can play during a drag.
    private func followEdits() {
        if let isLive = unfeltEdit {
            unfeltEdit = nil
            // A failure of the board is reported separately.
            try? feel(isLive: isLive)
        }
        guard needsAnalysis else { return }
        needsAnalysis = false
        analyse()
    }

    func analysisMessages() -> [String] {
        guard let analysis else { return [] }
        return ([analysis.designText] + analysis.predictionTexts).compactMap(\.self)
    }

    /// Sends the results of the latest completed analysis.
    private func record(_ analysis: StudioAnalysis) {
        guard let open, analysis.document == open.number else { return }
        self.analysis = analysis
        let state = StudioMessages.acknowledgement(open, analysis).text
        for page in pages {
            page.sendLatest(state, of: "state")
            for (index, text) in analysisMessages().enumerated() {
                page.sendLatest(text, of: "analysis \(index)")
            }
        }
    }

    // MARK: Time

    private func tick(at now: HostTime) {
        settleDoubt(at: now)
        if player.tick(at: now) { sendPosition() }
        if now - positionSentAt >= Self.positionInterval, player.position(at: now) != nil {
            sendPosition()
        }
        settings.follow(on: []) { _ in }
        if settings.present != unfelt {
            unfelt = settings.present
            send(boardMessage())
        }
    }

    func sendPosition() {
        let now = Link.now()
        positionSentAt = now
        let text = StudioMessages.position(player.position(at: now)).text
        for page in pages { page.sendLatest(text, of: "position") }
    }

    func boardMessage() -> StudioMessages.Board {
        StudioMessages.board(player, analyst.rendering, unfelt, settings.settings)
    }

    func send(_ message: some StudioMessage) { send(message.text) }

    func send(_ text: String) { for page in pages { page.send(text) } }
}
