// bridge actuator set: configures a board for its actuator.

import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import JSONText
import SerialPorts
import ToolSupport

extension Actuator {
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Configure a board for its actuator.",
            discussion: """
                A board does not drive an actuator whose data are unknown, because too high a \
                voltage destroys the actuator. Give the name of the actuator if `bridge actuator \
                list` contains it, or the values from its data sheet. The values are checked, \
                sent, and stored on the board if it has memory for them. If only --locality, \
                --name or motion options are given, the other values do not change.

                The motion data of the actuator are stored as well, so that any program can render \
                for it. Values that data sheets often omit are estimated unless the motion options \
                specify them.

                Examples:
                  bridge actuator set VG1040003D
                  bridge actuator set --kind lra --resonance 170 --rated 2.5 --overdrive 3.5
                  bridge actuator set --kind erm --rated 3 --overdrive 3.6 --name "left hand"
                  bridge actuator set --kind wide-band --band 80-300 --rated 2 --overdrive 3
                  bridge actuator set VG1040003D --actuator 1 --locality rightHandle
                  bridge actuator set --actuator 1 --locality leftHandle
                  bridge actuator set --time-constant 25 --acceleration 1.2
                """)

        @Argument(
            help: "The name of an actuator from `bridge actuator list`; it replaces the values.")
        var part: String?

        @OptionGroup var chosen: ActuatorOptions

        @Option(
            help: ArgumentHelp(
                "lra: linear resonant actuator. erm: rotating mass motor. wide-band: linear actuator "
                    + "whose frequency follows the sharpness.",
                discussion: """
                    A coin LRA is not a wide-band actuator: a few hertz away from its resonance, \
                    it hardly moves. A wide-band actuator needs a DRV2605L, which drives it in an \
                    open loop.
                    """))
        var kind: Kind?

        @Option(
            help: ArgumentHelp(
                "The frequencies of a wide-band actuator at sharpness 0 and 1, within 80-406.",
                valueName: "low-high"))
        var band: String?

        @Option(
            help: ArgumentHelp(
                "The law that maps sharpness to frequency: equal ratios (logarithmic), equal "
                    + "differences (linear), or 65 to 300 Hz, limited to the band (absolute)."))
        var law: FrequencyBand.Law?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Resonant frequency of an LRA, 125 to 300.", valueName: "hz"))
        var resonance: Double?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Rated voltage: rms for an LRA, average for an ERM.", valueName: "volts"))
        var rated: Double?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Peak voltage that is allowed for a short time.", valueName: "volts"))
        var overdrive: Double?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Level that the actuator tolerates indefinitely, if below full level.",
                valueName: "percent"))
        var sustained: Double = 100

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Time for which the actuator tolerates full level, if limited; after this "
                    + "time, the board reduces levels.",
                valueName: "seconds"))
        var fullFor: Double?

        @Option(help: "A name of up to 12 bytes, stored on the board.")
        var name: String?

        @Option(
            help: ArgumentHelp(
                "The locality of the actuator: leftHandle, rightHandle, leftTrigger or rightTrigger.",
                discussion: """
                    `bridge play --locality` and engines with a locality play on the actuators at \
                    that locality. Without this option, a new actuator has the locality `default`.
                    """))
        var locality: Locality?

        @OptionGroup(title: "Motion options") var motion: PlantOptions
        @OptionGroup(title: "Board options") var board: BoardOptions
        @OptionGroup(title: "Output options") var output: OutputOptions

        enum Kind: String, ExpressibleByArgument, CaseIterable {
            case lra, erm
            case wideBand = "wide-band"
        }

        @Flag(
            help: ArgumentHelp(
                "Drive the actuator in an open loop, without feedback from its motion.",
                discussion: """
                    Use this option for actuators whose back-EMF is too weak for a successful \
                    calibration. In an open loop, the driver does not track the resonance and \
                    neither overdrives nor brakes.
                    """))
        var openLoop = false

        func validate() throws {
            _ = try figures()
            guard (10...100).contains(sustained), (sustained < 100) == (fullFor != nil),
                (0...60).contains(fullFor ?? 0)
            else {
                throw ValidationError(
                    "--sustained must be 10 to 100 percent; below 100, --full-for (0 to 60 seconds) is needed."
                )
            }
            guard name?.utf8.count ?? 0 <= 12 else {
                throw ValidationError("--name has more than 12 bytes.")
            }
        }

        /// True if the options change only the name, the locality or the motion data of the
        /// actuator.
        private var isSame: Bool {
            (part, kind, fullFor, openLoop) == (nil, nil, nil, false)
                && (resonance, rated, overdrive) == (nil, nil, nil) && (band, law) == (nil, nil)
                && (name != nil || locality != nil || !motion.isEmpty)
        }

        /// Returns the values that the options specify for the actuator; nil if the options specify
        /// no new actuator. Throws `ValidationError`.
        private func figures() throws -> Figures? {
            if isSame { return nil }
            if let part {
                guard kind == nil, resonance == nil, rated == nil, overdrive == nil, band == nil,
                    law == nil
                else {
                    throw ValidationError("Give either the name of an actuator or its values.")
                }
                guard let known = NamedActuator.named(part) else {
                    // All names are in upper case, but names in lower case are accepted too.
                    let near = suggestion(
                        for: part.uppercased(), among: NamedActuator.all.map(\.name))
                    throw ValidationError(
                        "The actuator \(part) is unknown; `bridge actuator list` shows the known "
                            + "actuators" + (near.map { "; \($0)" } ?? "."))
                }
                return try Figures(known, motion)
            }
            guard let kind, let rated, let overdrive else {
                throw ValidationError(
                    "Name an actuator from `bridge actuator list`, or use --kind, --rated and "
                        + "--overdrive.")
            }
            return try Figures(
                kind, resonance, kind == .wideBand ? wantedBand() : noBand(), rated, overdrive,
                motion)
        }

        /// Returns the band that the options specify. Throws `ValidationError`.
        private func wantedBand() throws -> ClosedRange<Double>? {
            let range = ActuatorConfiguration.bands
            guard let band = band.flatMap({ try? VoiceCoils.band($0) }),
                range.contains(band.lowerBound), range.contains(band.upperBound)
            else {
                throw ValidationError(
                    "A wide-band actuator needs --band LOW-HIGH within 80-406 Hz, the range of the "
                        + "chip, for example 80-300.")
            }
            let rounded = ActuatorBand(rounding: band)
            guard rounded.lowest < rounded.highest else {
                let frequency = (Double(rounded.lowest) / 10).text(decimals: 1)
                throw ValidationError(
                    "--band \(self.band ?? "") is too narrow: the chip sets the period in steps of "
                        + "98.46 µs, so both ends become \(frequency) Hz.")
            }
            return band
        }

        /// Throws `ValidationError` if the options describe a band, which only wide-band actuators
        /// have.
        private func noBand() throws -> ClosedRange<Double>? {
            guard band == nil, law == nil else {
                throw ValidationError("--band and --law apply only to --kind wide-band.")
            }
            return nil
        }

        func run() throws {
            try board.withBoard { board in
                let present = try present(on: board)
                var configuration =
                    try figures().map { try self.configuration(for: board, $0) } ?? moved(present)
                configuration.locality = locality ?? present.locality
                configuration.name = name ?? configuration.name
                let isKept = configuration.keepCalibration(of: present)
                let (status, isSaved) = try configure(board, configuration)
                let facts = try ActuatorFacts(status: status, on: board, known: motion.known)
                try show(facts, isSaved, board)
                if present.calibration == .passed, !isKept { remarkOnCalibration(board) }
            }
        }
    }
}

extension Actuator.Set {
    /// Returns the current configuration of the actuator. Throws `ToolError` if the actuator is not
    /// configured and the options do not specify a configuration.
    private func present(on board: HapticBoard) throws -> ActuatorConfiguration {
        _ = try chosen.status(on: board)
        let present = try board.link.configuration(ofActuator: chosen.actuator)
        guard present.kind != .none || !isSame else {
            throw ToolError(unconfigured: chosen.actuator, at: board.path)
        }
        return present
    }

    /// Returns the current configuration with the motion data from the options.
    private func moved(_ present: ActuatorConfiguration) throws -> ActuatorConfiguration {
        var moved = present
        do {
            moved.plant = try motion.refined(
                present.plant, kind: present.kind, resonance: Double(present.resonance) / 10,
                rated: Double(present.rated) / 1000)
        } catch {
            throw ToolError(.usage, "actuator \(chosen.actuator): \(error.message)")
        }
        return moved
    }

    /// Computes the configuration for the driver chip of the board.
    private func configuration(for board: HapticBoard, _ figures: Figures) throws
        -> ActuatorConfiguration
    {
        let present = try chosen.status(on: board)
        guard let chip = HapticChip(deviceID: present.chipID) else {
            throw ToolError(
                "\(board.path): actuator \(chosen.actuator) has no working driver chip "
                    + "(id \(present.chipID), state: \(present.state))",
                try board.status().faults.union(present.chipID == 0 ? .noChip : .wrongChip),
                of: board)
        }
        let rated = UInt16((figures.rated * 1000).rounded())
        let overdrive = UInt16((figures.overdrive * 1000).rounded())
        var configuration = ActuatorConfiguration.coinLRA
        if let band = figures.band {
            try checkBand(on: board, chip)
            configuration = ActuatorConfiguration(
                band: band, law: law.map { ActuatorBand.Law($0) } ?? .logarithmic, rated: rated,
                overdrive: overdrive, name: figures.name, plant: figures.plant)
        } else {
            configuration = ActuatorConfiguration(
                kind: figures.kind, resonance: figures.resonance, rated: rated,
                overdrive: overdrive, chip: chip, name: figures.name,
                loop: openLoop ? .open : .closed, plant: figures.plant)
        }
        let budget = EnergyBudget(
            sustained: sustained / 100, full: Int64((fullFor ?? 0) * 1_000_000))
        (configuration.sustained, configuration.budget) = (budget.sustained, budget.milliseconds)
        // In an open loop, the driver's register holds a signed value, and one step of this value
        // corresponds to two levels. Therefore, the limit must be even.
        if configuration.isOpenLoop, budget.sustained < 255 { configuration.sustained &= ~1 }
        return configuration
    }

    /// Throws `ToolError` if the firmware or the chip of the board cannot change the frequency.
    private func checkBand(on board: HapticBoard, _ chip: HapticChip) throws {
        guard board.welcome.features.contains(.band) else {
            throw ToolError(
                .usage,
                "\(board.path): the firmware of this board does not support --kind wide-band",
                advice:
                    "use the newest firmware for one actuator; the image for several actuators of "
                    + "an Uno or Nano has no room for it")
        }
        guard chip == .drv2605L else {
            throw ToolError(
                .usage,
                "\(board.path): a DRV2605 cannot change the frequency of an actuator over I2C",
                advice: "use a DRV2605L, which has the register of the frequency; or --kind lra")
        }
    }

    private func configure(_ board: HapticBoard, _ configuration: ActuatorConfiguration) throws
        -> (ActuatorStatus, Bool)
    {
        do {
            return try board.configure(chosen.actuator, configuration)
        } catch RequestError.rejected(let reject) where [.limit, .range].contains(reject.code) {
            if let reason = LimitLock.reason(of: reject, for: configuration),
                try board.link.actuator(chosen.actuator).isLocked
            {
                throw ToolError(
                    .usage, "\(board.path): this board's limits are locked: \(reason)",
                    advice: LimitLock.undoing(on: board.welcome.kind))
            }
            throw ToolError(
                .usage, "\(board.path): the board refuses these values: \(reject)",
                advice: "compare the values with the data sheets of the actuator and of the driver")
        }
    }

    private func remarkOnCalibration(_ board: HapticBoard) {
        output.remark(
            "the calibration was made for other values and has been discarded; run "
                + "`bridge calibrate \(BoardOptions.option(forPort: board.path)) --actuator \(chosen.actuator)`"
        )
    }

    private func show(_ actuator: ActuatorFacts, _ isSaved: Bool, _ board: HapticBoard) throws {
        guard actuator.status.state == .atRest else {
            throw ToolError(
                "\(board.path): the actuator is not at rest: \(actuator.status.state)",
                try board.status().faults, of: board)
        }
        try output.result(
            [
                "schema": "bridge.actuator/1", "board": .string(board.path),
                "saved": .bool(isSaved), "actuator": actuator.json,
            ],
            text: actuator.fullTable.text
                + (isSaved ? "\n\(board.path): these values are stored on the board" : ""))
        guard !isSaved else { return }
        guard board.welcome.features.contains(.storage) else {
            output.remark(
                "the board has no memory for these values and loses them when its power is removed")
            return
        }
        throw ToolError(
            "\(board.path): actuator \(chosen.actuator) has these values, but they are not stored",
            .storage, of: board)
    }
}

extension FrequencyBand.Law: ExpressibleByArgument {}

extension Locality: ExpressibleByArgument {
    /// Parses the name of a locality code of the protocol.
    public init?(argument: String) {
        guard let code = Self.names.first(where: { $0.value == argument })?.key else { return nil }
        self = code
    }

    /// The names of the locality codes of the protocol, sorted.
    public static var allValueStrings: [String] { names.values.sorted() }
}
