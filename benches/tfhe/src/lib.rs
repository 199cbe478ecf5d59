//! Keys and ciphertexts of TFHE-rs 1.8 as ours, and ours as its.
//!
//! Both have the same numbers in the same order, so that nothing is computed. TFHE-rs keeps the bootstrapping key of an expanded server
//! key in a form of its own transforms: server keys change hands compressed.

use icicle_error::{Error, Result};
use icicle_fhe::{ClientKey, CompressedServerKey, FheBool, FheUint, MESSAGE_2_CARRY_2};
use tfhe::core_crypto::commons::math::random::{CompressionSeed, Seed};
use tfhe::core_crypto::prelude::*;
use tfhe::integer::{self, BooleanBlock, IntegerCiphertext, RadixCiphertext};
use tfhe::shortint::atomic_pattern::compressed::{
    CompressedAtomicPatternServerKey, CompressedStandardAtomicPatternServerKey,
};
use tfhe::shortint::ciphertext::{Degree, MaxDegree, NoiseLevel};
use tfhe::shortint::client_key::atomic_pattern::{AtomicPatternClientKey, StandardAtomicPatternClientKey};
use tfhe::shortint::parameters::v1_8::V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
use tfhe::shortint::server_key::{CompressedModulusSwitchConfiguration, ShortintCompressedBootstrappingKey};
use tfhe::shortint::{self, Ciphertext, ClassicPBSParameters, PBSOrder, PBSParameters};
use tfhe_csprng::seeders::SeedKind;

/// The one set of parameters that both have.
pub const THEIRS: ClassicPBSParameters = V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;

fn unsupported(op: &'static str, what: &str) -> Error {
    Error::unsupported(op, format!("{what}: TFHE-rs's default parameters on CPUs are what both have"))
}

/// Their client's key as ours, under a tag that goes with it.
pub fn client_key(theirs: &integer::ClientKey, tag: u128) -> Result<ClientKey> {
    const OP: &str = "tfhe_client_key";
    let shortint::ClientKey { atomic_pattern, .. } = theirs.clone().into_raw_parts();
    let AtomicPatternClientKey::Standard(standard) = atomic_pattern else {
        return Err(unsupported(OP, "a key that switches to 32 bits"));
    };
    let (large, small, parameters, _) = standard.into_raw_parts();
    if parameters != PBSParameters::PBS(THEIRS) {
        return Err(unsupported(OP, "a key of other parameters"));
    }
    ClientKey::from_raw(&MESSAGE_2_CARRY_2, tag, small.as_ref(), large.as_ref())
}

/// Our client's key as theirs.
pub fn their_client_key(ours: &ClientKey) -> integer::ClientKey {
    let large = GlweSecretKey::from_container(ours.glwe_key().to_vec(), THEIRS.polynomial_size);
    let small = LweSecretKey::from_container(ours.lwe_key().to_vec());
    let standard = StandardAtomicPatternClientKey::from_raw_parts(large, small, THEIRS.into(), None);
    let atomic_pattern = AtomicPatternClientKey::Standard(standard);
    integer::ClientKey::from_raw_parts(shortint::ClientKey { atomic_pattern })
}

/// The key of masks that begin with the first block of the counter.
fn seed(op: &'static str, of: &CompressionSeed) -> Result<u128> {
    match of.inner.seed {
        SeedKind::Ctr(seed) if *of == CompressionSeed::from(seed) => Ok(seed.0),
        _ => Err(Error::unsupported(op, "a seed with a domain, or in the middle of its masks".to_owned())),
    }
}

/// Their compressed server key as ours, under the client's tag.
pub fn compressed_server_key(theirs: &integer::CompressedServerKey, tag: u128) -> Result<CompressedServerKey> {
    const OP: &str = "tfhe_compressed_server_key";
    let (pattern, ..) = theirs.clone().into_raw_parts().into_raw_parts();
    let CompressedAtomicPatternServerKey::Standard(standard) = pattern else {
        return Err(unsupported(OP, "a key that switches to 32 bits"));
    };
    let (key_switch, bootstrap, order) = standard.into_raw_parts();
    let ShortintCompressedBootstrappingKey::Classic { bsk, modulus_switch_noise_reduction_key: reduction } = bootstrap
    else {
        return Err(unsupported(OP, "a key that rotates by several bits at once"));
    };
    let same = order == PBSOrder::KeyswitchBootstrap
        && matches!(reduction, CompressedModulusSwitchConfiguration::CenteredMeanNoiseReduction)
        && bsk.input_lwe_dimension() == THEIRS.lwe_dimension
        && bsk.polynomial_size() == THEIRS.polynomial_size
        && bsk.decomposition_base_log() == THEIRS.pbs_base_log
        && key_switch.decomposition_base_log() == THEIRS.ks_base_log
        && key_switch.decomposition_level_count() == THEIRS.ks_level;
    if !same {
        return Err(unsupported(OP, "a key of other parameters"));
    }
    let key_switch = (seed(OP, &key_switch.compression_seed())?, key_switch.as_ref().to_vec());
    let bootstrap = (seed(OP, &bsk.compression_seed())?, bsk.as_ref().to_vec());
    CompressedServerKey::from_raw(&MESSAGE_2_CARRY_2, tag, key_switch, bootstrap)
}

/// Our compressed server key as theirs.
pub fn their_compressed_server_key(ours: &CompressedServerKey) -> integer::CompressedServerKey {
    let ((key_switch_seed, key_switch), (bootstrap_seed, bootstrap)) = (ours.key_switch(), ours.bootstrap());
    let modulus = CiphertextModulus::new_native();
    let key_switch = SeededLweKeyswitchKey::from_container(
        key_switch.to_vec(),
        THEIRS.ks_base_log,
        THEIRS.ks_level,
        THEIRS.lwe_dimension.to_lwe_size(),
        Seed(key_switch_seed).into(),
        modulus,
    );
    let bsk = SeededLweBootstrapKey::from_container(
        bootstrap.to_vec(),
        THEIRS.glwe_dimension.to_glwe_size(),
        THEIRS.polynomial_size,
        THEIRS.pbs_base_log,
        THEIRS.pbs_level,
        Seed(bootstrap_seed).into(),
        modulus,
    );
    let bootstrap = ShortintCompressedBootstrappingKey::Classic {
        bsk,
        modulus_switch_noise_reduction_key: CompressedModulusSwitchConfiguration::CenteredMeanNoiseReduction,
    };
    let standard =
        CompressedStandardAtomicPatternServerKey::from_raw_parts(key_switch, bootstrap, PBSOrder::KeyswitchBootstrap);
    // Of integers: a carry has room in the carries of a block.
    let most = THEIRS.message_modulus.0 * THEIRS.carry_modulus.0 - 1 - (THEIRS.carry_modulus.0 - 1);
    integer::CompressedServerKey::from_raw_parts(shortint::CompressedServerKey::from_raw_parts(
        CompressedAtomicPatternServerKey::Standard(standard),
        THEIRS.message_modulus,
        THEIRS.carry_modulus,
        MaxDegree::new(most),
        THEIRS.max_noise_level,
    ))
}

/// The words of their ciphertexts, which must be messages without carries and with the noise of a bootstrap at most.
fn words<'a>(op: &'static str, blocks: impl Iterator<Item = &'a Ciphertext>) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    for block in blocks {
        if block.ct.as_ref().len() != MESSAGE_2_CARRY_2.ciphertext_words() {
            return Err(unsupported(op, "ciphertexts of other parameters"));
        }
        if !block.carry_is_empty() || block.noise_level() > NoiseLevel::NOMINAL {
            return Err(Error::argument(op, "blocks have carries or noise, must be cleaned by a bootstrap".to_owned()));
        }
        words.extend_from_slice(block.ct.as_ref());
    }
    Ok(words)
}

/// Our ciphertexts as theirs, of values up to a degree and noise of a squared norm.
fn blocks(words: &[u64], degree: u64, norm2: u32) -> impl Iterator<Item = Ciphertext> + '_ {
    // Theirs is the norm, as a whole number.
    let noise = NoiseLevel::NOMINAL * f64::from(norm2).sqrt().ceil() as u64;
    words.chunks(MESSAGE_2_CARRY_2.ciphertext_words()).map(move |words| {
        Ciphertext::new(
            LweCiphertext::from_container(words.to_vec(), CiphertextModulus::new_native()),
            Degree::new(degree),
            noise,
            THEIRS.message_modulus,
            THEIRS.carry_modulus,
            THEIRS.atomic_pattern(),
        )
    })
}

/// Their integers as ours, of so many bits, under the client's tag.
pub fn uints(theirs: &[RadixCiphertext], bits: u32, tag: u128) -> Result<FheUint> {
    const OP: &str = "tfhe_uints";
    if theirs.iter().any(|x| x.blocks().len() != bits as usize / 2) {
        return Err(Error::argument(OP, format!("integers have other widths, must have {bits} bits")));
    }
    let words = words(OP, theirs.iter().flat_map(|x| x.blocks()))?;
    FheUint::from_raw(&MESSAGE_2_CARRY_2, tag, bits, words)
}

/// Our integers as theirs.
pub fn their_uints(ours: &FheUint) -> Result<Vec<RadixCiphertext>> {
    let blocks: Vec<Ciphertext> = blocks(&ours.words()?, THEIRS.message_modulus.0 - 1, ours.norm2()).collect();
    let integers = blocks.chunks(ours.bits() as usize / 2);
    Ok(integers.map(|blocks| RadixCiphertext::from_blocks(blocks.to_vec())).collect())
}

/// Their truth values as ours, under the client's tag.
pub fn bools(theirs: &[BooleanBlock], tag: u128) -> Result<FheBool> {
    let blocks: Vec<Ciphertext> = theirs.iter().map(|x| x.clone().into_raw_parts()).collect();
    FheBool::from_raw(&MESSAGE_2_CARRY_2, tag, words("tfhe_bools", blocks.iter())?)
}

/// Our truth values as theirs.
pub fn their_bools(ours: &FheBool) -> Result<Vec<BooleanBlock>> {
    Ok(blocks(&ours.words()?, 1, 1).map(BooleanBlock::new_unchecked).collect())
}
