// bridge play: plays pattern files.

import ArgumentParser
import BoardSharing
import BridgeLink
import HapticBridge
import HapticCompiler
import SerialPorts
import ToolSupport

struct Play: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play haptic patterns.",
        discussion: """
            Plays AHAP files and compiled files (.hbes) in order, and returns when the board has \
            confirmed the end and the actuator is at rest. Ctrl-C stops the actuator immediately. \
            All files are checked before the first one plays.

            The board mixes the patterns with the patterns that other programs play at the same \
            time. A compiled file and --profile need exclusive use of the board. Until the command \
            ends, other programs can only query and stop the board. `bridge monitor` shows the \
            state of the board during playback.

            Examples:
              bridge play --virtual heartbeat.ahap
              bridge play --port /dev/ttyACM0 --json *.ahap
              generate-pattern | bridge play -
              bridge play --port /dev/ttyACM0 --port /dev/ttyACM1 --at +2 wave.ahap
              bridge play --watch --loop heartbeat.ahap
              bridge play --output sound:hw:2:3,4 wave.ahap
            """)

    @Argument(
        help: "AHAP or compiled files, names from `bridge patterns`, or - for standard input.")
    var files: [String]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of the actuator on which to play.", valueName: "number"))
    var actuator: Int?

    @Option(
        help: ArgumentHelp(
            "The locality at which to play, for a board with several actuators.",
            discussion: """
                default, all, handles, leftHandle, rightHandle, triggers, leftTrigger or \
                rightTrigger, as stored on the board by `bridge actuator set --locality`. default \
                selects the handles or, if the board has no handles, all actuators.
                """))
    var locality: HapticLocality?

    @Option(
        help: ArgumentHelp(
            "The start: +SECONDS from now, or a time such as 2026-11-24T20:15:00.5Z.",
            discussion: """
                Every event is timed by the clock of this computer. Several boards start together: \
                at this time or, without this option, as soon as all of them are ready. Without a \
                time zone (Z or +01:00), the time is local; seconds since 1970, as `date +%s.%N` \
                prints them, are accepted too. Several computers start together if chrony \
                synchronizes their clocks; the result states the accuracy.
                """,
            valueName: "time"))
    var at: StartTime?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Overall gain, 0 to 1. Default: the user's setting.",
            discussion: """
                The settings are in ~/.config/haptic-bridge/settings.json: { "haptics": false } \
                turns haptics off, { "gain": 0.7 } reduces their strength, and { "quiet": \
                "22:00-07:00" } turns them off in these hours. Changes made with `bridge settings` \
                take effect immediately, even during playback. No option turns haptics on. While \
                other programs use the board, --gain cannot exceed the setting.
                """,
            valueName: "factor"))
    var gain: Double?

    @Flag(help: "Play without driving the actuator.")
    var mute = false

    @Flag(
        help: ArgumentHelp(
            "Play without a board: show what would be felt.",
            discussion: """
                The terminal shows the level and the sharpness, as it does with a board. The result \
                states that nothing was felt.
                """))
    var preview = false

    @OptionGroup(title: "Watching options") var watching: WatchingOptions
    @OptionGroup(title: "Sound options") var sound: SoundOptions
    @OptionGroup(title: "Voice coil options") var coils: CoilOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard 0..<16 ~= actuator ?? 0 else { throw ValidationError("--actuator must be 0 to 15.") }
        guard actuator == nil || locality == nil else {
            throw ValidationError("--actuator and --locality cannot be combined.")
        }
        if let gain, !(0...1 ~= gain) { throw ValidationError("--gain must be 0 to 1.") }
        guard at == nil || files.count == 1 else {
            throw ValidationError("--at needs a single file.")
        }
        if preview { try validatePreview() }
        if watching.isOn { try validateWatching() }
    }

    /// Throws `ValidationError` for options that cannot be combined with --watch.
    private func validateWatching() throws {
        guard files.count == 1, files[0] != "-" else {
            throw ValidationError("--watch needs a single file.")
        }
        let others = [
            at.map { _ in "--at" }, preview ? "--preview" : nil,
            needsCompiling ? "--profile" : nil, coils.text.map { _ in "--output" },
        ]
        if let option = others.compactMap(\.self).first {
            throw ValidationError("--watch cannot be combined with \(option).")
        }
        guard board.connected.ports.count <= 1 else {
            throw ValidationError("--watch needs a single --port.")
        }
    }

    /// Throws `ValidationError` for options that cannot be combined with --preview.
    private func validatePreview() throws {
        let given = [
            board.chosenBy, actuator.map { _ in "--actuator" },
            locality.map { _ in "--locality" }, coils.text.map { _ in "--output" },
        ]
        if let option = given.compactMap(\.self).first {
            throw ValidationError(
                "--preview and \(option) cannot be combined: a preview plays without a board.")
        }
    }

    func run() throws {
        if watching.isOn { return try WatchedPlay(self, settings: settings()).run(files[0]) }
        // All files are read before the first one plays.
        var patterns = try files.map { try PatternFile(reading: $0, reading) }
        for pattern in patterns { warnings.remark(on: pattern) }
        let sound = try PlaySound(&patterns, isPreview: preview, sound, reading, output)
        if preview {
            let preview = PlayPreview(output: output, sound: sound)
            return try preview.play(patterns.map(\.asDesigned), at: at?.hostTime())
        }
        let settings = try settings()
        let coils = try coils.coils.map { try PlayCoils($0, for: self, settings) }
        if let coils, !board.isChosen {
            let play = PlayPreview(output: output, sound: sound, coils: (coils, settings))
            return try play.play(patterns.map(\.asDesigned), at: at?.hostTime())
        }
        let wallClock = try wallClock()
        let compiled = patterns.first(where: \.isCompiled).map { "a compiled file (\($0.name))" }
        let obstacle = compiled ?? (needsCompiling ? "--profile" : nil)
        let ports = ports
        if coils != nil, let obstacle {
            throw ToolError(
                .usage, "--output and \(obstacle) cannot be combined",
                advice: "play the AHAP file without --profile")
        }
        guard obstacle != nil || coils == nil && isInStep(ports) else {
            let meter = board.virtual ? DriveMeter() : nil
            return try EnginePlay(
                play: self, devices: try devices(at: ports, meter), meter: meter,
                settings: settings, wallClock: wallClock, sound: sound, coils: coils
            ).run(patterns)
        }
        if let obstacle { try checkIsFree(ports, for: obstacle) }
        if at == nil, board.connected.ports.count <= 1, sound == nil {
            try board.withBoard { board in
                try playInTurn(patterns, on: part(of: board, settings))
            }
        } else {
            try playTogether(patterns, settings, wallClock, sound)
        }
    }

    /// True if patterns are compiled for a profile that was given instead of the profile of the
    /// actuators.
    private var needsCompiling: Bool {
        compiling.profile.map { $0 != RenderingTarget.board } ?? false
    }

    /// The named ports or, without a name, the port of the board that is found; empty for a virtual
    /// board.
    private var ports: [String] {
        guard !board.virtual else { return [] }
        guard board.connected.ports.isEmpty else { return board.connected.ports }
        return [board.connected.device(at: nil).servedPort?()].compactMap(\.self)
    }

    /// Returns true if patterns are to play on several boards that no other program serves. The
    /// streams of these boards are synchronized, and their deviation is reported.
    private func isInStep(_ ports: [String]) -> Bool {
        ports.count > 1 && !ports.contains(where: BoardServerClient.isThere)
    }

    /// Returns the boards on which engines play. Starts a server process for each port if the
    /// server program is installed.
    private func devices(at ports: [String], _ meter: DriveMeter?) throws -> [HapticDevice] {
        if let meter { return [try board.device(meter)] }
        for port in ports {
            _ = BoardServerClient.begin(port: port) { hold in
                output.remark(
                    "\(hold); waiting until that program serves the board or releases the port")
            }
        }
        return ports.isEmpty ? [try board.device()] : ports.map { HapticDevice.port($0) }
    }

    /// Throws `ToolError` if playback needs exclusive use of a board that another program serves.
    private func checkIsFree(_ ports: [String], for obstacle: String) throws(ToolError) {
        guard let kept = ports.first(where: BoardServerClient.isKept) else { return }
        throw ToolError(
            .busy,
            "\(kept): \(obstacle) needs exclusive use of the board, but another program serves it",
            advice:
                "end the program that serves the board (`bridge serve`, `bridge studio`, or one "
                + "that plays), and try again"
        )
    }

    /// Returns the state of the clock for a calendar start time, after printing a warning if it is
    /// inaccurate; nil for other starts.
    private func wallClock() throws(ToolError) -> WallClock? {
        guard let at, at.isCalendar else { return nil }
        guard at.hostTime() >= Link.now() else {
            throw ToolError(
                .usage, "--at: the time has passed",
                advice: "choose a later time; a time without a time zone (Z or +01:00) is local")
        }
        let clock = WallClock.present()
        if let warning = clock.warning { output.remark(warning) }
        return clock
    }

    private var warnings: PlayWarnings { PlayWarnings(output: output) }

    /// A board, and those of its actuators that play.
    private struct Part {
        var board: HapticBoard
        var mask: ActuatorMask
        var rendering: BoardRendering
        let settings: PlaySettings
    }

    private func part(of board: HapticBoard, _ settings: PlaySettings) throws -> Part {
        try board.apply(settings.settings)
        let actuators = try board.actuators()
        let mask = try mask(of: actuators, at: board.path)
        output.remarkIdleActuators(
            of: actuators, at: chosenLocality, try board.status().faults, on: board.welcome,
            at: board.path)
        let profile =
            needsCompiling
            ? try compiling.profile.map(CompilingOptions.deviceProfile(named:)) : nil
        let rendering = try BoardRendering(
            of: board, mask, profile: profile, options: compiling.compiler,
            gain: settings.effectiveGain)
        return Part(board: board, mask: mask, rendering: rendering, settings: settings)
    }

    /// Plays the patterns on one board. Each pattern starts as soon as the previous pattern has
    /// ended. After a STOP, no further pattern plays.
    private func playInTurn(_ patterns: [PatternFile], on part: Part) throws {
        for pattern in patterns {
            let pattern = rendered(pattern, for: part)
            let playings = try followed([pattern], on: [part]).follow { follow in
                [try start(pattern, on: part.board, part.mask, follow: follow)]
            }
            guard playings.allSatisfy({ $0.completion == .played }) else { return }
        }
    }

    /// Renders a pattern for a board, and prints warnings about the result.
    private func rendered(_ pattern: PatternFile, for part: Part) -> PatternFile {
        let pattern = part.rendering.rendered(pattern)
        warnings.remark(on: pattern, at: part.board.path, part.board.welcome, part.rendering)
        return pattern
    }

    private func followed(
        _ patterns: [PatternFile], on parts: [Part], _ wallClock: WallClock? = nil,
        _ sound: PlaySound? = nil
    ) -> FollowedPlay {
        FollowedPlay(
            patterns: patterns, boards: parts.map(\.board), masks: parts.map(\.mask),
            output: output, settings: parts[0].settings, wallClock: wallClock,
            sound: sound)
    }

    /// Returns the user's settings, combined with the options. Prints the reason if nothing will be
    /// felt.
    private func settings() throws -> PlaySettings {
        let settings = try PlaySettings(isMuted: mute, gain: gain)
        if settings.exceedsUserGain {
            output.remark(
                "--gain is limited to the user's gain; `bridge settings gain` changes it")
        }
        if case .user(let reason)? = settings.present, reason != .gain {
            output.remark(Unfelt.user(reason).text)
        }
        return settings
    }

    /// Plays patterns on several boards, and plays their sounds, starting at a common time on this
    /// computer's clock.
    private func playTogether(
        _ patterns: [PatternFile], _ settings: PlaySettings, _ wallClock: WallClock?,
        _ sound: PlaySound?
    ) throws {
        let requested = at?.hostTime()
        let boards = try board.connectAll()
        defer { for board in boards { board.close() } }
        let parts = try boards.map { try part(of: $0, settings) }
        for (index, pattern) in patterns.enumerated() {
            // A pattern that is compiled for one board is not compiled again for an equal board.
            var compiled = pattern
            let rendered = parts.map { part in
                compiled = self.rendered(compiled, for: part)
                return compiled
            }
            let lead = rendered.map(\.lead).max() ?? 0
            let earliest = max(
                Link.now() + BoardGroup.shortestLead + lead, sound?.earliestStart ?? 0)
            guard requested ?? earliest >= earliest else {
                throw ToolError(
                    .usage, "--at: the time has passed or is too close",
                    advice:
                        "choose a time at least \((BoardGroup.shortestLead + lead).secondsText) "
                        + "ahead, and a second more for a board that resets when its port is opened"
                )
            }
            do {
                try sound?.start(index, at: requested ?? earliest)
                defer { sound?.stop() }
                let isPlayed = try playTogether(
                    rendered, on: parts, at: requested ?? earliest, wallClock, sound)
                guard isPlayed else { return }
            } catch let failure as BoardGroup.Failure {
                let board = boards[failure.board]
                throw ToolError(ToolError.explaining(failure.error, at: board), port: board.path)
            } catch {
                throw ToolError(error, port: nil)
            }
        }
    }

    /// Plays one pattern, rendered for each board. Returns true if no board was stopped.
    private func playTogether(
        _ patterns: [PatternFile], on parts: [Part], at time: HostTime, _ wallClock: WallClock?,
        _ sound: PlaySound?
    ) throws -> Bool {
        let playings = try followed(patterns, on: parts, wallClock, sound).follow { follow in
            let shares = zip(patterns, parts).map { pattern, part in
                BoardGroup.Part(
                    events: pattern.bytes, tick: Int(pattern.tick), lead: pattern.lead,
                    actuators: part.mask)
            }
            return try BoardGroup(parts.map(\.board)).play(shares, at: time, follow: follow)
        }
        if parts.count > 1, let skew = BoardGroup.skew(playings) {
            let result = SkewResult(boards: parts.count, skew: skew)
            try output.result(result.json, text: result.text)
        }
        return playings.allSatisfy { $0.completion == .played }
    }

    private func start(
        _ pattern: PatternFile, on board: HapticBoard, _ mask: ActuatorMask,
        follow: (Playback) -> Bool
    ) throws -> HapticBoard.PlaybackSummary {
        do {
            return try board.play(
                events: pattern.bytes, tickMicroseconds: Int(pattern.tick),
                on: mask, follow: follow)
        } catch {
            throw ToolError.explaining(error, at: board)
        }
    }
}
