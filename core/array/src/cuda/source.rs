//! The text of a kernel's source of values, and its arguments.
#![allow(unsafe_code)] // launches

use super::axes::Axes;
use super::call::Call;
use super::draft::{Draft, Leaf, Value};
use crate::DType;
use crate::layout::{Layout, dense_strides};
use crate::storage::Storage;
use icicle_cuda::launch::Dim;
use icicle_error::Result;
use icicle_kernels::array::HEADERS;
use icicle_kernels::signature::KernelArg;
use std::ffi::c_void;
use std::fmt::Write;
use std::sync::Arc;

/// Threads of a block: `THREADS` of `elementwise.cuh`.
pub(super) const THREADS: u64 = 256;

/// A kernel's arguments, 64 bits each, passed as one structure.
struct Words(Vec<u64>);

impl KernelArg for Words {
    fn address(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

/// A kernel in the making: the structure `Source`, which computes elements and may store them.
pub(super) struct Source {
    words: Vec<u64>,
    text: String,
    /// Elements that can be loaded at once, each pack aligned.
    pub(super) pack: usize,
    /// What is read, kept until the kernel is enqueued: memory is given back in the stream's order.
    _held: Vec<Arc<Storage>>,
}

/// Where results are stored: an address, and a layout of the kernel's shape if they do not follow each other.
pub(super) struct Target<'a> {
    pub(super) address: u64,
    pub(super) layout: Option<&'a Layout>,
}

impl Source {
    /// The values of a draft over a shape, of a dtype; with a target, a function that stores them there.
    pub(super) fn new(
        draft: &Draft,
        value: &Value,
        dtype: DType,
        shape: &[usize],
        target: Option<&Target<'_>>,
    ) -> Self {
        let dense = dense_strides(shape);
        let out = target.map(|target| target.layout.map_or(&dense[..], |layout| &layout.strides));
        let constant = vec![0isize; shape.len()];
        let of_leaf = |leaf: &'_ Leaf| match leaf {
            Leaf::Memory { layout, .. } => layout.strides.clone(),
            Leaf::Constant { .. } => constant.clone(),
        };
        let strides: Vec<Vec<isize>> = draft.leaves.iter().map(of_leaf).collect();
        let mut layouts: Vec<&[isize]> = strides.iter().map(|strides| &strides[..]).collect();
        // The order of elements itself, and where they are stored.
        layouts.push(&dense);
        layouts.extend(out);
        let axes = Axes::new(shape, &layouts);
        let out_place = draft.leaves.len() + 1;
        let stores_dense = target.is_none() || axes.is_dense(out_place);

        let n: usize = shape.iter().product();
        let mut source =
            Self { words: vec![n as u64], text: String::new(), pack: 1, _held: Vec::with_capacity(draft.leaves.len()) };
        let (mut fields, mut makes, mut loads, mut before) = <(String, String, String, String)>::default();
        let mut strided = Vec::new();
        let (mut alignment, mut largest) = (16, dtype.bytes());
        for (k, leaf) in draft.leaves.iter().enumerate() {
            let name = leaf.dtype().name();
            match leaf {
                Leaf::Constant { bytes, .. } => {
                    let at = source.push_bytes(bytes);
                    let _ = writeln!(fields, "  {name} x{k};");
                    let _ = writeln!(makes, "    x{k} = *reinterpret_cast<const {name}*>(a.word + {at});");
                }
                Leaf::Memory { storage, dtype, layout } => {
                    let offset = (layout.offset * dtype.bytes()) as u64;
                    let at = source.push(storage.as_ptr() as u64 + offset);
                    source._held.push(Arc::clone(storage));
                    if axes.is_constant(k) {
                        let _ = writeln!(fields, "  {name} x{k};");
                        let _ = writeln!(makes, "    x{k} = *reinterpret_cast<const {name}*>(a.word[{at}]);");
                        continue;
                    }
                    let _ = writeln!(fields, "  const {name}* p{k};");
                    let _ = writeln!(makes, "    p{k} = reinterpret_cast<const {name}*>(a.word[{at}]);");
                    if axes.is_dense(k) {
                        largest = largest.max(dtype.bytes());
                        alignment = alignment.min(1usize << source.words[at].trailing_zeros().min(4));
                        let _ = writeln!(
                            before,
                            "    const auto d{k} = *reinterpret_cast<const Pack<{name}, V>*>(p{k} + i);"
                        );
                        let _ = writeln!(loads, "      const {name} x{k} = d{k}.at[k];");
                    } else {
                        let _ = writeln!(loads, "      const {name} x{k} = p{k}[o{k}];");
                        strided.push(k);
                    }
                }
            }
        }
        let out_at = target.map(|target| {
            let offset = target.layout.map_or(0, |layout| layout.offset * dtype.bytes()) as u64;
            source.push(target.address + offset)
        });
        let places = if stores_dense { vec![] } else { vec![out_place] };
        let walks_load = source.walk(&axes, &strided, n);
        let walks_store = source.walk(&axes, &places, n);
        if strided.is_empty() && stores_dense {
            if let Some(at) = out_at {
                alignment = alignment.min(1usize << source.words[at].trailing_zeros().min(4));
            }
            source.pack = (alignment / largest).max(1);
        }
        let out_type = dtype.name();
        let mut store = String::new();
        if let Some(at) = out_at {
            let _ = writeln!(fields, "  {out_type}* out;");
            let _ = writeln!(makes, "    out = reinterpret_cast<{out_type}*>(a.word[{at}]);");
            let body = match stores_dense {
                true => format!(
                    "    Pack<{out_type}, V> pack;\n    for (int k = 0; k < V; ++k) pack.at[k] = values[k];\n    \
                     *reinterpret_cast<Pack<{out_type}, V>*>(out + i) = pack;\n"
                ),
                false => format!("{walks_store}    out[o{out_place}] = values[0];\n"),
            };
            store = format!(
                "  template <int V>\n  __device__ __forceinline__ void store(const uint64 i, const Out* values) const\n  {{\n{body}  }}\n"
            );
        }
        let body = &draft.text;
        source.text = format!(
            "struct Source {{\n  using Out = {out_type};\n  const Arguments& a;\n{fields}\
             \x20 __device__ __forceinline__ explicit Source(const Arguments& a) : a(a)\n  {{\n{makes}  }}\n\
             \x20 template <int V>\n  __device__ __forceinline__ void load(const uint64 i, Out* values) const\n  {{\n{walks_load}{before}\
             #pragma unroll\n    for (int k = 0; k < V; ++k) {{\n{loads}{body}      values[k] = {value};\n    }}\n  }}\n{store}}};\n"
        );
        source
    }

    /// A kernel that reads no array, only these arguments.
    pub(super) fn of_words(words: Vec<u64>) -> Self {
        let text = "struct Source {\n  __device__ explicit Source(const Arguments&) {}\n};\n".to_owned();
        Self { words, text, pack: 1, _held: Vec::new() }
    }

    /// An argument more; its place.
    pub(super) fn push(&mut self, word: u64) -> usize {
        self.words.push(word);
        self.words.len() - 1
    }

    /// A value of up to 16 bytes, aligned to as many.
    fn push_bytes(&mut self, bytes: &[u8; 16]) -> usize {
        if !self.words.len().is_multiple_of(2) {
            self.push(0);
        }
        let at = self.words.len();
        bytes.as_chunks::<8>().0.iter().for_each(|&half| self.words.push(u64::from_ne_bytes(half)));
        at
    }

    /// Statements that say where element `i` of layouts lies: `o` and the number of the layout, in elements.
    fn walk(&mut self, axes: &Axes, layouts: &[usize], n: usize) -> String {
        let mut text = String::new();
        if layouts.is_empty() {
            return text;
        }
        // 32-bit divisions where all indices fit: they take a fraction of the time.
        let index = if n <= u32::MAX as usize { "uint32" } else { "uint64" };
        let _ = writeln!(text, "    {index} rest = {index}(i);");
        layouts.iter().for_each(|k| _ = writeln!(text, "    int64 o{k} = 0;"));
        for (axis, &extent) in axes.extents.iter().enumerate().rev() {
            let last = axis == 0;
            let extent = self.push(extent as u64);
            let _ = match last {
                true => writeln!(text, "    const {index} c{axis} = rest;"),
                false => writeln!(
                    text,
                    "    const {index} e{axis} = {index}(a.word[{extent}]), q{axis} = rest / e{axis}, c{axis} = rest - q{axis} * e{axis};\n    \
                     rest = q{axis};"
                ),
            };
            for &k in layouts {
                let stride = axes.strides[k][axis];
                if stride != 0 {
                    let stride = self.push(stride as u64);
                    let _ = writeln!(text, "    o{k} += int64(c{axis}) * int64(a.word[{stride}]);");
                }
            }
        }
        text
    }

    /// Enqueue a kernel of which `body` is the last part: statements over `source` and `a.word`.
    ///
    /// # Errors
    /// `Unsupported` without NVRTC; as [`Kernel::launch`](icicle_cuda::Kernel::launch).
    ///
    /// # Safety
    /// The statements access memory that is valid until the stream has passed them.
    pub(super) unsafe fn launch(self, call: &Call, header: &str, body: &str, blocks: u64) -> Result<()> {
        let text = self.kernel(header, body);
        let kernel = call.gpu.compiled.get(call.op, call.gpu, &text, HEADERS)?;
        let mut words = Words(self.words);
        if !words.0.len().is_multiple_of(2) {
            words.0.push(0);
        }
        let grid = Dim::of_blocks(blocks)?;
        // SAFETY: the one parameter is this structure; the caller's for what it accesses.
        unsafe { kernel.launch(call.exec.stream(), grid, THREADS as u32, 0, &[&words]) }
    }

    /// The text of such a kernel.
    pub(super) fn kernel(&self, header: &str, body: &str) -> String {
        format!(
            "#include \"{header}\"\nusing namespace array;\n\
             struct alignas(16) Arguments {{\n  uint64 word[{}];\n}};\n{}\
             extern \"C\" __global__ void __launch_bounds__({THREADS}) run(const __grid_constant__ Arguments a)\n{{\n  \
             const Source source(a);\n{body}}}\n",
            self.words.len().next_multiple_of(2),
            self.text
        )
    }
}
