// HapticCompiler+Measured: compiles a pattern for an actuator that may have been measured.

import CDRV2605Model
import DRV2605
import HapticCompiler
import HapticPatterns

extension HapticCompiler {
    /// The length of the longest pattern whose drive is improved by a search, in microseconds: 10
    /// minutes.
    private static let searchedMax: Microseconds = 600_000_000

    /// Compiles a whole pattern, and uses the measured properties of the actuator, if there are
    /// any.
    ///
    /// If the properties of an LRA or of an ERM have been measured (``DeviceProfile/isMeasured``), and
    /// if events are to be felt at their times, a search improves the drive of a pattern of at most
    /// 10 minutes, so that the felt output is close to the best that the actuator permits. The
    /// search tries a limited number of changes, at the events near which the predicted output
    /// deviates most from the design. The report is that of the stream before the search. The result
    /// depends on the arguments only.
    public static func compile(
        _ pattern: HapticPattern, measured profile: DeviceProfile,
        options: CompilerOptions = CompilerOptions()
    ) -> CompiledPattern {
        var compiled = compile(pattern, profile: profile, options: options)
        guard profile.isMeasured, let plant = profile.plant, options.alignment == .felt,
            compiled.renderedDuration <= searchedMax
        else { return compiled }
        let lengths = TapLengths(profile)
        var refinement = DriveRefinement(
            compiled.events, for: FeltDesign(pattern, options: options),
            lead: Int(compiled.lead / 1_000), on: FeltAcceleration.model(of: plant), lengths)
        refinement.refine()
        compiled.events = refinement.events
        let end =
            compiled.events.map { event in
                guard case .tap(_, let sharpness) = event.content else { return event.tick }
                return event.tick + StreamTime.firstTick(from: lengths[sharpness])
            }.max() ?? 0
        compiled.events[compiled.events.count - 1].tick = end
        compiled.bytes = EventStreamEncoder.encode(compiled.events)
        compiled.renderedDuration = StreamTime.time(of: end)
        return compiled
    }
}

extension FeltAcceleration {
    /// Returns the model of an actuator with the properties of a plant, at rest. The acceleration of
    /// the model is that of the standard coin actuator.
    static func model(of plant: Plant) -> actuator_model {
        var model = actuator_model()
        let timeConstant = Double(plant.timeConstant) / 1_000_000
        if plant.kind == .erm {
            var motor = actuator_erm_coin_b1034
            motor.time_constant_s = timeConstant
            motor.start_voltage_v = plant.start * motor.rated_voltage_v
            motor.running_voltage_v = plant.running * motor.rated_voltage_v
            motor.clamp_voltage_v = plant.overdrive * motor.rated_voltage_v
            motor.full_scale_voltage_v = motor.rated_voltage_v / plant.ratedLevel
            motor.loop_gain = plant.loopGain
            motor.brake_factor = brakeFactors[Int(LoopTuning().brakeFactor)]
            actuator_model_init_erm(&model, &motor)
        } else {
            var resonator = actuator_lra_coin_10mm
            resonator.quality = .pi * resonator.resonance_hz * timeConstant
            resonator.clamp_ratio = plant.overdrive
            resonator.full_scale_ratio = 1 / plant.ratedLevel
            actuator_model_init_lra(&model, &resonator)
        }
        model.closed_loop = plant.isClosedLoop
        return model
    }
}
