"""Names that one version of MindSpore lacks and another one has, by version and module."""

from __future__ import annotations

VERSIONS = ("1.10", "2.0", "2.10")

#: Names that a version lacks and another one has; ``name=path`` gives the replacement.
#: MindSpore 2.10 still has ``functional.scalar_to_array``, but calling it fails in every mode.
MISSING_NAMES: dict[str, dict[str, str]] = {
    "1.10": {
        "mindspore": """
            Generator Layout bfloat16 default_generator device_context from_numpy get_rng_state
            initial_seed is_tensor jit=mindspore.ms_function jit_class=mindspore.ms_class
            load_mindir long manual_seed save_mindir set_device set_rng_state
            shard=mindspore.ops.shard
        """,
        "mindspore.common.initializer": """
            XavierNormal
        """,
        "mindspore.context": """
            COMPATIBLE LAX STRICT
        """,
        "mindspore.nn": """
            AvgPool3d CTCLoss CellDict ChannelShuffle Dropout1d GLU GaussianNLLLoss
            GradAccumulationCell HingeEmbeddingLoss KLDivLoss LPPool1d LPPool2d Linear
            MarginRankingLoss MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d
            MultiLabelSoftMarginLoss MultiheadAttention MultilabelMarginLoss PipelineGradReducer
            PixelShuffle PixelUnshuffle PoissonNLLLoss ReflectionPad3d ReplicationPad1d
            ReplicationPad2d ReplicationPad3d Softmax2d TripletMarginLoss
            TripletMarginWithDistanceLoss Upsample get_metrics
        """,
        "mindspore.ops": """
            AdaptiveAvgPool3D AdaptiveMaxPool3D AdjustHue AdjustSaturation AffineGrid Angle
            ApplyAdamWithAmsgradV2 Barrier BatchToSpaceNDV2 Bernoulli BesselI0 BesselI1 BesselJ0
            BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Betainc Bincount
            Bucketize CTCLossV2 Cauchy ChannelShuffle CheckNumerics Cholesky CholeskySolve
            Col2Im CollectiveGather CollectiveScatter ComplexAbs CountNonZero Cross Cummin
            CumulativeLogsumexp Dense Digamma Eig EuclideanNorm ExtractImagePatches FFTWithSize
            FillDiagonal Fmax Fmin ForiLoop GLU Gcd Geqrf GridSampler2D GridSampler3D
            HammingWindow Heaviside Histogram Hypot IdentityN Igamma Igammac Im2Col IndexFill
            IndexPut InplaceIndexAdd InplaceUpdateV2 IsClose Lcm LeftShift LerpScalar Lgamma
            ListDiff LogNormalReverse LogSoftmaxExt LogSpace Logit LuUnpack MaskedScatter
            MatrixBandPart MatrixDiagPartV3 MatrixDiagV3 MatrixExp MatrixLogarithm MatrixPower
            MatrixSetDiagV3 MatrixSolve MatrixSolveLs MatrixTriangularSolve MaxPoolWithArgmaxV2
            MultilabelMarginLoss MultinomialWithReplacement NanToNum NextAfter
            NonDeterministicInts NonZero NthElement NuclearNorm Orgqr Ormqr PadV3
            ParameterizedTruncatedNormal Pdist Polar Polygamma Qr Quantile RGBToHSV
            RandomPoisson RandomShuffle RandpermV2 Receive Reduce ReduceStd ResizeArea
            ResizeBicubic ResizeBilinearV2 ResizeLinear1D ResizeNearestNeighborV2 RightShift
            RmsNorm Roll STFT Scan ScatterAddWithAxis ScatterNdMul SegmentMax SegmentMean
            SegmentMin SegmentProd SegmentSum Send Sinc StopGradient Svd TensorDump
            TensorScatterElements Trace TransposeView TridiagonalMatMul Tril TrilIndices
            TripletMarginLoss Triu TriuIndices TruncatedNormal UnravelIndex UpsampleNearest3D
            UpsampleTrilinear3D WhileLoop Zeta addbmm addmm adjoint aminmax angle
            arccos=mindspore.numpy.arccos arccosh=mindspore.numpy.arccosh
            arcsin=mindspore.numpy.arcsin arcsinh=mindspore.numpy.arcsinh
            arctan2=mindspore.numpy.arctan2 arctan=mindspore.numpy.arctan
            arctanh=mindspore.numpy.arctanh argsort argwhere
            atleast_1d=mindspore.numpy.atleast_1d atleast_2d=mindspore.numpy.atleast_2d
            atleast_3d=mindspore.numpy.atleast_3d auto_generate avg_pool1d avg_pool3d
            bartlett_window bidense bincount=mindspore.numpy.bincount bitwise_left_shift
            bitwise_right_shift blackman_window block_diag bounding_box_decode
            bounding_box_encode bucketize cartesian_prod cat channel_shuffle check_valid
            choice_with_mask cholesky cholesky_inverse cholesky_solve chunk clamp
            clip=mindspore.numpy.clip clip_by_norm column_stack=mindspore.numpy.column_stack
            combinations cond conj conv1d conv3d copysign=mindspore.numpy.copysign
            cosine_embedding_loss cosine_similarity cov=mindspore.numpy.cov crop_and_resize
            cross=mindspore.numpy.cross dense det diag_embed diagflat=mindspore.numpy.diagflat
            diagonal=mindspore.numpy.diagonal diagonal_scatter diff=mindspore.numpy.diff digamma
            dist divide=mindspore.numpy.divide dropout1d dsplit=mindspore.numpy.dsplit
            dstack=mindspore.numpy.dstack eig eigvals einsum elu embedding eps eq erfinv expand
            expand_as fft fft2 fftfreq fftn fftshift flip=mindspore.numpy.flip
            fliplr=mindspore.numpy.fliplr flipud=mindspore.numpy.flipud
            float_power=mindspore.numpy.float_power floor_divide=mindspore.numpy.floor_divide
            fmax fmin fmod=mindspore.numpy.fmod fold full=mindspore.numpy.full
            full_like=mindspore.numpy.full_like gaussian_nll_loss gcd=mindspore.numpy.gcd gelu
            geqrf get_grad glu greater=mindspore.numpy.greater
            greater_equal=mindspore.numpy.greater_equal group_norm hamming_window hann_window
            hardsigmoid hardtanh heaviside=mindspore.numpy.heaviside hfft hfft2 hfftn
            hinge_embedding_loss histc hsplit=mindspore.numpy.hsplit
            hstack=mindspore.numpy.hstack huber_loss hypot=mindspore.numpy.hypot i0 ifft ifft2
            ifftn ifftshift igamma igammac ihfft ihfft2 ihfftn imag index_select
            inner=mindspore.numpy.inner inplace_index_add inverse irfft irfft2 irfftn is_complex
            is_floating_point is_nonzero is_tensor isinf=mindspore.numpy.isinf
            isneginf=mindspore.numpy.isneginf isposinf=mindspore.numpy.isposinf jacfwd jacrev
            kaiser_window l1_loss layer_norm lcm=mindspore.numpy.lcm leaky_relu
            less_equal=mindspore.numpy.less_equal lgamma log_uniform_candidate_sampler
            logcumsumexp logdet logical_xor=mindspore.numpy.logical_xor logsigmoid
            logspace=mindspore.numpy.logspace lp_pool1d lp_pool2d lstsq lt lu_solve lu_unpack
            margin_ranking_loss matrix_exp matrix_norm matrix_power=mindspore.numpy.matrix_power
            max_pool2d mm move_to moveaxis=mindspore.numpy.moveaxis movedim mse_loss msort
            multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
            multinomial_with_replacement multiply=mindspore.numpy.multiply mvlgamma nan_to_num
            nanmean=mindspore.numpy.nanmean nanmedian nanquantile nansum=mindspore.numpy.nansum
            negative=mindspore.numpy.negative nextafter numel orgqr ormqr permute pinv
            pixel_shuffle pixel_unshuffle polar polygamma positive=mindspore.numpy.positive
            print_ qr quantile rand=mindspore.numpy.rand rand_like
            randint=mindspore.numpy.randint randint_like randn=mindspore.numpy.randn randn_like
            random_categorical random_gamma random_poisson randperm ravel=mindspore.numpy.ravel
            real reciprocal=mindspore.numpy.reciprocal repeat_interleave reverse rfft rfft2
            rfftfreq rfftn rms_norm roll=mindspore.numpy.roll row_stack rrelu rsqrt scatter
            searchsorted=mindspore.numpy.searchsorted select_scatter sgn shuffle
            sign=mindspore.numpy.sign signbit=mindspore.numpy.signbit silu sinc slice_scatter
            slogdet soft_margin_loss softmin softplus softshrink standard_laplace
            standard_normal std_mean subtract=mindspore.numpy.subtract sum=mindspore.numpy.sum
            swapaxes=mindspore.numpy.swapaxes swapdims swiglu t take=mindspore.numpy.take
            tanhshrink tensor_muls tensor_split tensordump threshold topk
            trace=mindspore.numpy.trace trapz=mindspore.numpy.trapz tril=mindspore.numpy.tril
            tril_indices=mindspore.numpy.tril_indices triplet_margin_loss
            triu=mindspore.numpy.triu triu_indices=mindspore.numpy.triu_indices
            true_divide=mindspore.numpy.true_divide type_as unbind unfold
            uniform_candidate_sampler unsqueeze upsample vander=mindspore.numpy.vander
            var=mindspore.numpy.var var_mean vecdot vector_norm view_as view_as_real
            vsplit=mindspore.numpy.vsplit vstack=mindspore.numpy.vstack
            where=mindspore.numpy.where zeta
        """,
    },
    "2.0": {
        "mindspore": """
            Generator Layout bfloat16 compression=mindspore_gs default_generator device_context
            from_numpy get_rng_state graph_utils initial_seed is_tensor=mindspore.ops.is_tensor
            issubclass_ load_mindir long manual_seed save_mindir set_device set_rng_state tensor
        """,
        "mindspore.communication.management": """
            init_gpu_collective
        """,
        "mindspore.context": """
            COMPATIBLE LAX STRICT
        """,
        "mindspore.nn": """
            ActQuant CellDict Conv2dBnFoldQuant Conv2dBnFoldQuantOneConv
            Conv2dBnWithoutFoldQuant Conv2dQuant DenseQuant FakeQuantWithMinMaxObserver
            GlobalBatchNorm GradAccumulationCell Linear MulQuant PipelineGradReducer
            TensorAddQuant TripletMarginWithDistanceLoss transformer=mindformers
        """,
        "mindspore.ops": """
            ApplyAdamWithAmsgradV2 Barrier CheckBprop CollectiveGather CollectiveScatter Dense
            FFT3D ForiLoop IFFT3D IsInstance=isinstance IsSubClass=issubclass LerpScalar
            LogSoftmaxExt Receive Reduce Rel RmsNorm
            SameTypeShape=x.shape~==~y.shape~and~x.dtype~==~y.dtype Scan Send Shard TensorDump
            TransposeView WhileLoop auto_generate bartlett_window bidense blackman_window
            bounding_box_decode bounding_box_encode bucketize check_bprop check_valid
            choice_with_mask clip_by_norm cond crop_and_resize diagonal_scatter eigvals
            embedding eps eq expand_as fftfreq fftshift
            floor_divide=mindspore.numpy.floor_divide group_norm hfft hfft2 hfftn ifftshift
            ihfft ihfft2 ihfftn irfft irfft2 irfftn is_nonzero isinstance_ issubclass_
            layer_norm log_uniform_candidate_sampler logcumsumexp matrix_norm move_to
            multinomial_with_replacement nanmean=mindspore.numpy.nanmean nanmedian pack print_
            rand=mindspore.numpy.rand rand_like randint=mindspore.numpy.randint randint_like
            randn=mindspore.numpy.randn randn_like random_categorical random_gamma
            random_poisson randperm rfft rfft2 rfftfreq rfftn rms_norm row_stack
            same_type_shape=x.shape~==~y.shape~and~x.dtype~==~y.dtype select_scatter
            shard=mindspore.shard shard_fn shuffle slice_scatter soft_margin_loss softplus
            sparse_add standard_laplace standard_normal swiglu take=mindspore.numpy.take
            tensor_muls tensordump type_as uniform_candidate_sampler
            vander=mindspore.numpy.vander vecdot vector_norm view_as vmap=mindspore.vmap
            vmap_instance
        """,
        "mindspore.ops.composite": """
            Shard
        """,
        "mindspore.ops.functional": """
            Rel Shard check_bprop isinstance_ issubclass_ same_type_shape shard=mindspore.shard
            shard_fn sparse_add vmap_instance
        """,
    },
    "2.10": {
        "mindspore": """
            compression=mindspore_gs convert_model graph_utils hypercomplex issubclass_
            ms_class=mindspore.jit_class ms_function=mindspore.jit obfuscate_model offline_debug
            parse_print
        """,
        "mindspore.common": """
            ms_class=mindspore.jit_class ms_function=mindspore.jit
        """,
        "mindspore.common.api": """
            ms_class ms_function=mindspore.jit
        """,
        "mindspore.communication.management": """
            init_gpu_collective
        """,
        "mindspore.dataset.transforms": """
            c_transforms=mindspore.dataset.transforms py_transforms=mindspore.dataset.transforms
        """,
        "mindspore.dataset.vision": """
            c_transforms=mindspore.dataset.vision py_transforms=mindspore.dataset.vision
        """,
        "mindspore.nn": """
            ActQuant Conv2dBnFoldQuant Conv2dBnFoldQuantOneConv Conv2dBnWithoutFoldQuant
            Conv2dQuant DenseQuant FakeQuantWithMinMaxObserver GlobalBatchNorm MulQuant
            ResizeBilinear=mindspore.ops.interpolate TensorAddQuant TensorArray reinforcement
            transformer=mindformers
        """,
        "mindspore.ops": """
            BNTrainingReduce BNTrainingUpdate BufferAppend BufferGetItem BufferSample CheckBprop
            FFT3D IFFT3D IsInstance=isinstance IsSubClass=issubclass ReLUV2=mindspore.ops.ReLU
            Rel ResizeBilinear=mindspore.ops.interpolate
            SameTypeShape=x.shape~==~y.shape~and~x.dtype~==~y.dtype Shard bprop_mindir
            check_bprop fill_=mindspore.ops.fill isinstance_ issubclass_
            neg_tensor=mindspore.ops.neg pack
            same_type_shape=x.shape~==~y.shape~and~x.dtype~==~y.dtype shard=mindspore.shard
            shard_fn sparse_add vmap_instance
        """,
        "mindspore.ops.composite": """
            Shard
        """,
        "mindspore.ops.functional": """
            Rel Shard check_bprop fill_ isinstance_ issubclass_ neg_tensor same_type_shape
            scalar_to_array=mindspore.Tensor shard=mindspore.shard shard_fn sparse_add
            vmap_instance
        """,
        "mindspore.train": """
            convert_model obfuscate_model parse_print
        """,
    },
}
